package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.ledger.Head;
import org.sordino.ledger.Storage;

/**
 * State of a run between two steps, with a description of everything that must be unchanged so that
 * the following steps can be replayed bit for bit. It contains released numbers only; the key is
 * stored separately.
 *
 * <p>The file consists of the text {@code sordino-checkpoint 2}, a line of JSON, the arrays as
 * big-endian doubles (parameters, optimizer slots, moving average, factors of the bounds), and the
 * SHA-256 of everything before it.
 *
 * @param step number of the next step
 * @param head ledger head, durable before the checkpoint was written
 * @param pins everything that must be unchanged for a replay, see {@link ResumeDecision}
 * @param arrays parameters, optimizer slots, moving average (if any), factors of the bounds
 */
@SuppressWarnings("ArrayRecordComponent") // written immediately, never compared
record Checkpoint(long step, Head head, String pins, double[][] arrays) {

  private static final String MAGIC = "sordino-checkpoint 2\n";
  private static final int DIGEST = 32;

  void write(Storage storage, Path file) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("step", step);
    json.put("ledgerLines", head.lines());
    json.put("ledgerChain", head.chain());
    json.put("pins", pins);
    json.put("lengths", Arrays.stream(arrays).map(array -> (long) array.length).toList());
    byte[] text = (MAGIC + Json.write(json) + "\n").getBytes(StandardCharsets.UTF_8);
    int numbers = Arrays.stream(arrays).mapToInt(array -> array.length).sum();
    int length = text.length + Double.BYTES * numbers;
    ByteBuffer buffer = ByteBuffer.allocate(length + DIGEST).put(text);
    for (double[] array : arrays) {
      buffer.asDoubleBuffer().put(array);
      buffer.position(buffer.position() + Double.BYTES * array.length);
    }
    buffer.put(Digests.sha256(Arrays.copyOf(buffer.array(), length)));
    RunFiles.replace(storage, file, buffer.array());
  }

  /**
   * Reads a checkpoint.
   *
   * @throws CheckpointDamagedException if the file is damaged
   */
  static Checkpoint read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      return parse(bytes);
    } catch (RuntimeException e) {
      throw new CheckpointDamagedException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy of the run");
    }
  }

  private static Checkpoint parse(byte[] bytes) {
    int length = bytes.length - DIGEST;
    if (length < MAGIC.length()
        || !new String(bytes, 0, MAGIC.length(), StandardCharsets.UTF_8).equals(MAGIC)) {
      throw new IllegalArgumentException("it does not start with " + MAGIC.strip());
    }
    byte[] digest = Arrays.copyOfRange(bytes, length, bytes.length);
    if (!Arrays.equals(Digests.sha256(Arrays.copyOf(bytes, length)), digest)) {
      throw new IllegalArgumentException("its checksum does not match");
    }
    int end = MAGIC.length();
    while (bytes[end] != '\n') {
      end++;
    }
    String json = new String(bytes, MAGIC.length(), end - MAGIC.length(), StandardCharsets.UTF_8);
    JsonObject fields = JsonObject.read("checkpoint", json);
    double[][] arrays =
        fields.numbers("lengths").stream()
            .map(count -> new double[count.intValue()])
            .toArray(double[][]::new);
    ByteBuffer buffer = ByteBuffer.wrap(bytes, end + 1, length - end - 1);
    for (double[] array : arrays) {
      buffer.asDoubleBuffer().get(array);
      buffer.position(buffer.position() + Double.BYTES * array.length);
    }
    Head head = new Head(fields.integer("ledgerLines"), fields.text("ledgerChain"));
    return new Checkpoint(fields.integer("step"), head, fields.text("pins"), arrays);
  }
}
