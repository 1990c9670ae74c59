package org.sordino.cli;

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
 * The files of one run. {@code plan.json}, {@code ledger.jsonl} and {@code checkpoint/} are the
 * trainer's; {@code run.json} says what was trained on what, {@code metrics.csv} how it went,
 * {@code model.safetensors} and {@code model.json} are the model, {@code statement.md} the
 * guarantee in words, {@code report.html} all of it for people.
 *
 * @param path the directory
 */
record RunDirectory(Path path) {

  /** A directory that holds a run. */
  static RunDirectory existing(Path path) {
    RunDirectory run = new RunDirectory(path);
    if (!Files.isRegularFile(run.file("run.json"))) {
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

  /** What was trained on what. */
  RunInfo info() {
    return RunInfo.ofJson(file("run.json"), text("run.json"));
  }

  TrainingPlan plan() {
    try {
      return TrainingPlan.fromJson(text("plan.json"));
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(file("plan.json") + " is damaged: " + e.getMessage());
    }
  }

  /**
   * The ledger, verified line by line and against the heads that the checkpoint and the statement
   * noted: either may be the later one.
   */
  LedgerContents ledger() {
    if (!Files.exists(file("ledger.jsonl"))) {
      throw new RunDamagedException(
          file("ledger.jsonl") + " is missing: the run ended before its first step; resume it");
    }
    Head stated =
        Files.exists(file(Statement.FILE)) ? Statement.knownHead(text(Statement.FILE)) : Head.NONE;
    Ledger.read(file("ledger.jsonl"), stated);
    return Ledger.read(file("ledger.jsonl"), Trainer.knownHead(path));
  }

  /** The text of a file that must be there. */
  String text(String name) {
    try {
      return Files.readString(file(name));
    } catch (IOException e) {
      throw new RunDamagedException(
          file(name) + " cannot be read (" + e + "); restore it from a copy of the run");
    }
  }

  byte[] bytes(String name) {
    try {
      return Files.readAllBytes(file(name));
    } catch (IOException e) {
      throw new RunDamagedException(
          file(name) + " cannot be read (" + e + "); restore it from a copy of the run");
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
