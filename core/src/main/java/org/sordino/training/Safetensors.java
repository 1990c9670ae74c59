package org.sordino.training;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;

/**
 * Named tensors and metadata in the safetensors format, which the Python package {@code
 * safetensors} can read. A file contains the length of the JSON header as 8 little-endian bytes,
 * the header (type, shape and position of every tensor, and the metadata under {@code
 * __metadata__}), and the values in little-endian order.
 *
 * @param tensors tensors by name, in the order of the file
 * @param metadata metadata by name
 */
public record Safetensors(Map<String, Tensor> tensors, Map<String, String> metadata) {

  private static final String METADATA = "__metadata__";
  private static final int MAX_HEADER = 100_000_000; // limit of the reference implementation

  /** Supported types of values. */
  public enum Type {
    F32(4),
    F64(8);

    private final int bytes;

    Type(int bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * One tensor.
   *
   * @param type type of the stored values
   * @param shape dimensions
   * @param values values in row-major order
   */
  @SuppressWarnings("ArrayRecordComponent") // possibly millions of values: shared, not copied
  public record Tensor(Type type, List<Integer> shape, double[] values) {

    public Tensor {
      shape = List.copyOf(shape);
      long size = 1;
      for (int dimension : shape) {
        size = Math.multiplyExact(size, dimension);
      }
      if (size != values.length) {
        throw new IllegalArgumentException(
            "a tensor of shape " + shape + " must have " + size + " values, got " + values.length);
      }
    }
  }

  public Safetensors {
    tensors = new LinkedHashMap<>(tensors);
    metadata = new LinkedHashMap<>(metadata);
  }

  /** Returns the content of the file. */
  public byte[] toBytes() {
    Map<String, @Nullable Object> header = new LinkedHashMap<>();
    if (!metadata.isEmpty()) {
      header.put(METADATA, metadata);
    }
    long end = 0;
    for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
      Tensor tensor = entry.getValue();
      long begin = end;
      end += (long) tensor.type().bytes * tensor.values().length;
      Map<String, @Nullable Object> item = new LinkedHashMap<>();
      item.put("dtype", tensor.type().name());
      item.put("shape", tensor.shape().stream().map(Integer::longValue).toList());
      item.put("data_offsets", List.of(begin, end));
      header.put(entry.getKey(), item);
    }
    byte[] json = Json.write(header).getBytes(StandardCharsets.UTF_8);
    int padded = (json.length + 7) / 8 * 8;
    ByteBuffer buffer =
        ByteBuffer.allocate(Math.toIntExact(8 + padded + end)).order(ByteOrder.LITTLE_ENDIAN);
    buffer
        .putLong(padded)
        .put(json)
        .put(" ".repeat(padded - json.length).getBytes(StandardCharsets.UTF_8));
    tensors.values().forEach(tensor -> put(buffer, tensor));
    return buffer.array();
  }

  private static void put(ByteBuffer buffer, Tensor tensor) {
    for (double value : tensor.values()) {
      if (tensor.type() == Type.F64) {
        buffer.putDouble(value);
      } else {
        buffer.putFloat((float) value);
      }
    }
  }

  /**
   * Reads the content of a file.
   *
   * @throws IllegalArgumentException if the content is not in this format or has other types of
   *     values
   */
  public static Safetensors ofBytes(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < 8) {
      throw new IllegalArgumentException("a safetensors file must have at least 8 bytes");
    }
    long length = buffer.getLong();
    if (length < 2 || length > MAX_HEADER || length > buffer.remaining()) {
      throw new IllegalArgumentException(
          "the header of a safetensors file must have 2 to 100,000,000 bytes and end within the"
              + " file, got "
              + length);
    }
    String json = new String(bytes, 8, (int) length, StandardCharsets.UTF_8);
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    Map<String, String> metadata = new LinkedHashMap<>();
    int data = 8 + (int) length;
    for (Map.Entry<String, @Nullable Object> entry : Json.readObject(json).entrySet()) {
      if (entry.getKey().equals(METADATA)) {
        JsonObject.of(METADATA, entry.getValue())
            .fields()
            .forEach((name, value) -> metadata.put(name, String.valueOf(value)));
      } else {
        tensors.put(entry.getKey(), tensor(buffer, data, entry.getKey(), entry.getValue()));
      }
    }
    return new Safetensors(tensors, metadata);
  }

  private static Tensor tensor(ByteBuffer buffer, int data, String name, @Nullable Object json) {
    JsonObject fields = JsonObject.of(name, json);
    Type type;
    try {
      type = Type.valueOf(fields.text("dtype"));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "tensor " + name + " must be F32 or F64, got " + fields.text("dtype"), e);
    }
    List<Integer> shape = new ArrayList<>();
    fields.numbers("shape").forEach(dimension -> shape.add((int) (double) dimension));
    List<Double> offsets = fields.numbers("data_offsets");
    double from = offsets.get(0);
    double to = offsets.get(1);
    int count = (int) ((to - from) / type.bytes);
    if (!(from >= 0 && to >= from && data + to <= buffer.capacity())) {
      throw new IllegalArgumentException("tensor " + name + " lies outside the file");
    }
    buffer.position(data + (int) from);
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = type == Type.F64 ? buffer.getDouble() : buffer.getFloat();
    }
    return new Tensor(type, shape, values);
  }
}
