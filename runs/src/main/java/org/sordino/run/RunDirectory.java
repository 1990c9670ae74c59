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
 * The files of one run.
 *
 * <ul>
 *   <li>{@code plan.json}, {@code ledger.jsonl} and {@code checkpoint/} are also used by the
 *       trainer.
 *   <li>{@code run.json} describes model and data.
 *   <li>{@code results.json} contains the results.
 *   <li>{@code metrics.csv} contains the learning curves, which are not private.
 *   <li>{@code model.safetensors} and {@code model.json} contain the model.
 *   <li>{@code statement.md} and {@code statement.json} are the privacy statement.
 *   <li>{@code report.html} is the report.
 * </ul>
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

  /**
   * Opens the directory of an existing run.
   *
   * @throws InvalidInputException if the directory does not contain a run
   */
  static RunDirectory existing(Path path) {
    RunDirectory run = new RunDirectory(path);
    if (!run.has(INFO)) {
      throw new InvalidInputException(
          "a run directory must contain run.json, got "
              + path
              + "; use a directory created by 'sordino train --out'");
    }
    return run;
  }

  Path file(String name) {
    return path.resolve(name);
  }

  boolean has(String name) {
    return Files.isRegularFile(file(name));
  }

  /** Creates the directory and its parents. */
  void create() {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw InvalidInputException.of(
          "`directory`",
          "a directory that can be created",
          path.toString(),
          "cause: " + e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  /** Reads {@code run.json}. */
  RunInfo info() {
    return RunInfo.ofJson(file(INFO), text(INFO));
  }

  TrainingPlan plan() {
    try {
      return TrainingPlan.fromJson(text(PLAN));
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(
          file(PLAN) + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  /**
   * Reads the ledger and verifies it line by line and against the ledger heads in the checkpoint
   * and in the statement, either of which may be the later one.
   */
  LedgerContents ledger() {
    if (!Files.exists(file(LEDGER))) {
      throw new RunDamagedException(
          file(LEDGER)
              + " is missing, because the run ended before its first step; resume the run");
    }
    return Ledger.read(file(LEDGER), statedHead(), Trainer.knownHead(path));
  }

  /** Returns the ledger head in the statement; {@link Head#NONE} without a statement. */
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

  /** Reads the text of a file that must exist. */
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

  /** Reads a JSON file that may be missing because the run is not finished; empty if missing. */
  Map<String, @Nullable Object> json(String name) {
    try {
      return has(name) ? Json.readObject(text(name)) : Map.of();
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(
          file(name) + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  /** Writes a file atomically: after a crash, it has either the old or the new content. */
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
