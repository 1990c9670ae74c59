package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * Reads and writes the files of one run: {@code plan.json}, {@code ledger.jsonl}, {@code
 * checkpoint/state} and {@code checkpoint/answers.safetensors} in the run directory, and the key in
 * a separate folder. Every file is durable when the method that writes it returns.
 *
 * @param directory the run directory
 * @param keys folder with the keys of unfinished runs
 * @param storage storage used for all durable writes
 */
record RunStorage(Path directory, KeyFolder keys, Storage storage) {

  private static final String PLAN = "plan.json";
  private static final String LEDGER = "ledger.jsonl";
  private static final String CHECKPOINT_FOLDER = "checkpoint";
  private static final String CHECKPOINT = CHECKPOINT_FOLDER + "/state";
  private static final String ANSWERS = CHECKPOINT_FOLDER + "/answers.safetensors";
  private static final String RUN = "run";
  private static final double SECONDS_BETWEEN_CHECKPOINTS = 10;

  boolean hasLedger() {
    return Files.exists(directory.resolve(LEDGER));
  }

  /**
   * Creates the run directory and a ledger in it.
   *
   * @throws IllegalArgumentException if the directory already contains a ledger
   */
  Ledger createLedger(Header header) {
    if (hasLedger()) {
      throw new IllegalArgumentException(
          "the run directory must be new, got "
              + directory
              + ", which contains a ledger; resume that run or choose another directory");
    }
    try {
      RunFiles.createFolder(storage, directory.resolve(CHECKPOINT_FOLDER));
    } catch (IOException e) {
      throw new UncheckedIOException("the run directory cannot be created: " + directory, e);
    }
    return Ledger.create(storage, directory.resolve(LEDGER), header);
  }

  /** Opens an existing ledger, which must start with the lines that the checkpoint has recorded. */
  Ledger resumeLedger(Optional<Checkpoint> saved) {
    Head known = saved.map(Checkpoint::head).orElse(Head.NONE);
    return Ledger.resume(storage, directory.resolve(LEDGER), known);
  }

  /** Writes the plan, unless the file already contains it. */
  void writePlan(TrainingPlan plan) {
    Path file = directory.resolve(PLAN);
    byte[] text = (plan.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
    if (!(Files.exists(file) && Arrays.equals(bytes(file), text))) {
      RunFiles.replace(storage, file, text);
    }
  }

  /**
   * Stores the key so that the run can be resumed. Seeds are not stored, because the ledger
   * contains them.
   */
  void storeKey(String run, RandomKey key) {
    if (!key.isInsecure()) {
      keys.store(storage, run, key);
    }
  }

  Optional<RandomKey> findKey(String run) {
    return keys.find(run);
  }

  void removeKey(String run) {
    keys.remove(storage, run);
  }

  /** Returns the last checkpoint, if one exists. */
  Optional<Checkpoint> checkpoint() {
    return checkpoint(directory);
  }

  static Optional<Checkpoint> checkpoint(Path directory) {
    Path file = directory.resolve(CHECKPOINT);
    return Files.exists(file) ? Optional.of(Checkpoint.read(file)) : Optional.empty();
  }

  /**
   * Returns the writer of checkpoints.
   *
   * @param pins everything that must be unchanged for a replay
   */
  TrainingLoop.Checkpoints checkpoints(String pins) {
    return new CheckpointWriter(pins);
  }

  /** Replaces the checkpoint file every ten seconds or on request. */
  private final class CheckpointWriter implements TrainingLoop.Checkpoints {

    private final String pins;
    private long savedAt = System.nanoTime();

    CheckpointWriter(String pins) {
      this.pins = pins;
    }

    @Override
    public boolean isDue() {
      return System.nanoTime() - savedAt > SECONDS_BETWEEN_CHECKPOINTS * 1e9;
    }

    @Override
    public void save(State state, Head head) {
      new Checkpoint(state.step, head, pins, state.arrays())
          .write(storage, directory.resolve(CHECKPOINT));
      savedAt = System.nanoTime();
    }
  }

  /** Writes answers with the ID of the run, so that the answers of another run are never used. */
  void writeAnswers(String run, Map<String, double[]> answers) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    answers.forEach(
        (name, answer) ->
            tensors.put(
                name,
                new Safetensors.Tensor(Safetensors.Type.F64, List.of(answer.length), answer)));
    byte[] content = new Safetensors(tensors, Map.of(RUN, run)).toBytes();
    RunFiles.replace(storage, directory.resolve(ANSWERS), content);
  }

  /** Returns the answers of a run, if the file exists and belongs to that run. */
  Optional<Map<String, double[]>> answers(String run) {
    Path file = directory.resolve(ANSWERS);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Safetensors kept = readAnswers(file);
    return run.equals(kept.metadata().get(RUN)) ? Optional.of(values(kept)) : Optional.empty();
  }

  /**
   * Returns the answers of a finished run.
   *
   * @throws CheckpointDamagedException if they are missing or damaged
   */
  Map<String, double[]> finalAnswers() {
    Path file = directory.resolve(ANSWERS);
    if (!Files.exists(file)) {
      throw new CheckpointDamagedException(file + " is missing; restore it from a copy of the run");
    }
    return values(readAnswers(file));
  }

  private static Safetensors readAnswers(Path file) {
    byte[] content = bytes(file);
    try {
      return Safetensors.ofBytes(content);
    } catch (RuntimeException e) {
      throw new CheckpointDamagedException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy of the run");
    }
  }

  private static Map<String, double[]> values(Safetensors kept) {
    Map<String, double[]> answers = new LinkedHashMap<>();
    kept.tensors().forEach((name, tensor) -> answers.put(name, tensor.values()));
    return answers;
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
