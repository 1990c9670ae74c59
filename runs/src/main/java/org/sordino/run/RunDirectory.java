package org.sordino.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.Head;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;

/**
 * The files of one run. {@code plan.json}, {@code ledger.jsonl} and {@code checkpoint/} belong to
 * the trainer; {@code run.json} describes model and data, {@code metrics.csv} holds the learning
 * curves, {@code model.safetensors} and {@code model.json} the model, {@code statement.md} the
 * guarantee in words, {@code report.html} all of it for people.
 *
 * @param path the directory
 */
record RunDirectory(Path path) {

  static final String INFO = "run.json";
  static final String PLAN = "plan.json";
  static final String LEDGER = "ledger.jsonl";
  static final String MODEL = "model.json";
  static final String WEIGHTS = "model.safetensors";
  static final String RESULTS = "results.json";

  /** A directory that holds a run. */
  static RunDirectory existing(Path path) {
    RunDirectory run = new RunDirectory(path);
    if (!run.has(INFO)) {
      throw new InvalidInputException(
          "a run directory must have a run.json, got "
              + path
              + "; give the directory that 'sordino train --out' made");
    }
    return run;
  }

  Path file(String name) {
    return path.resolve(name);
  }

  boolean has(String name) {
    return Files.isRegularFile(file(name));
  }

  /** Makes the directory and all above it. */
  void create() {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw InvalidInputException.of(
          "`directory`",
          "a folder that can be made",
          path.toString(),
          "the system says " + e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  /** Model and data of the run. */
  RunInfo info() {
    return RunInfo.ofJson(file(INFO), text(INFO));
  }

  TrainingPlan plan() {
    try {
      return TrainingPlan.fromJson(text(PLAN));
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(file(PLAN) + " is damaged: " + e.getMessage());
    }
  }

  /**
   * The ledger, verified line by line and against the heads that the checkpoint and the statement
   * recorded, either of which may be the later one.
   */
  LedgerContents ledger() {
    if (!Files.exists(file(LEDGER))) {
      throw new RunDamagedException(
          file(LEDGER) + " is missing: the run ended before its first step; resume it");
    }
    return Ledger.read(file(LEDGER), statedHead(), Trainer.knownHead(path));
  }

  /** The head that the statement recorded; {@link Head#NONE} without a statement. */
  private Head statedHead() {
    if (has(PrivacyStatement.JSON)) {
      return PrivacyStatement.knownHead(json(PrivacyStatement.JSON));
    }
    return has(PrivacyStatement.FILE)
        ? PrivacyStatement.headInText(text(PrivacyStatement.FILE))
        : Head.NONE;
  }

  void writeStatement(PrivacyStatement statement) {
    write(PrivacyStatement.FILE, statement.markdown());
    writeJson(PrivacyStatement.JSON, statement.json());
  }

  /** The text of a file that must be there. */
  String text(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8);
  }

  byte[] bytes(String name) {
    try {
      return Files.readAllBytes(file(name));
    } catch (IOException e) {
      throw new RunDamagedException(
          file(name) + " cannot be read (" + e + "); restore it from a copy of the run");
    }
  }

  /** A JSON file that only a finished run has; empty if there is none. */
  Map<String, @Nullable Object> json(String name) {
    try {
      return has(name) ? Json.readObject(text(name)) : Map.of();
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(
          file(name) + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  /** Writes a file so that a crash leaves the old one or the new one. */
  void write(String name, byte[] content) {
    try {
      DurableFiles.replace(file(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(file(name) + " cannot be written: " + e, e);
    }
  }

  void write(String name, String content) {
    write(name, content.getBytes(StandardCharsets.UTF_8));
  }

  void writeJson(String name, Map<String, @Nullable Object> json) {
    write(name, Json.writePretty(new LinkedHashMap<>(json)) + "\n");
  }
}
