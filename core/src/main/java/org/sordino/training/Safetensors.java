package org.sordino.training;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/**
 * Tensors by name in the file format that Python's {@code safetensors} reads and writes: eight
 * bytes with the length of the header (little endian), the header as JSON, then the numbers of all
 * tensors, little endian and row by row, without gaps. The header maps each name to {@code dtype},
 * {@code shape} and {@code data_offsets}, and {@code __metadata__} to strings. Of the types, {@code
 * F32} and {@code F64} are supported.
 *
 * @param tensors by name, in the order of the file
 * @param metadata free text by key
 */
public record Safetensors(Map<String, Tensor> tensors, Map<String, String> metadata) {

  private static final String METADATA = "__metadata__";

  /** The limit of the reference implementation. */
  private static final long LARGEST_HEADER = 100_000_000;

  /** How numbers are stored. */
  public enum Type {
    /** Four bytes. */
    F32(4),
    /** Eight bytes. */
    F64(8);

    private final int bytes;

    Type(int bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * One tensor.
   *
   * @param type how it is stored; F32 rounds
   * @param shape its sizes; none for a single number
   * @param values row by row
   */
  @SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
  public record Tensor(Type type, List<Long> shape, double[] values) {

    public Tensor {
      shape = List.copyOf(shape);
      long size = size(shape);
      if (size != values.length) {
        throw new IllegalArgumentException(
            "values must be " + size + " for the shape " + shape + ", got " + values.length);
      }
    }

    private static long size(List<Long> shape) {
      long size = 1;
      for (long dim : shape) {
        if (dim < 0) {
          throw new IllegalArgumentException("shape must have sizes of at least 0, got " + shape);
        }
        size = Math.multiplyExact(size, dim);
      }
      return size;
    }

    private long bytes() {
      return (long) type.bytes * values.length;
    }
  }

  public Safetensors {
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    if (tensors.containsKey(METADATA)) {
      throw new IllegalArgumentException("no tensor may be called " + METADATA);
    }
  }

  /** Writes a file, in one move: nobody ever sees half of it. */
  public void write(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Path part = Files.createTempFile(parent, "tensors", ".part");
    try {
      try (OutputStream out = Files.newOutputStream(part)) {
        byte[] header = header();
        byte[] length = new byte[Long.BYTES];
        little(length).putLong(header.length);
        out.write(length);
        out.write(header);
        for (Tensor tensor : tensors.values()) {
          write(out, tensor);
        }
      }
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private byte[] header() {
    Map<String, Object> header = new LinkedHashMap<>();
    if (!metadata.isEmpty()) {
      header.put(METADATA, metadata);
    }
    long offset = 0;
    for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
      Tensor tensor = entry.getValue();
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("dtype", tensor.type().name());
      fields.put("shape", tensor.shape());
      fields.put("data_offsets", List.of(offset, offset + tensor.bytes()));
      header.put(entry.getKey(), fields);
      offset += tensor.bytes();
    }
    // Padded with spaces, so that the numbers begin at a multiple of eight.
    String json = Json.write(header);
    int length = json.getBytes(StandardCharsets.UTF_8).length;
    return (json + " ".repeat((8 - length % 8) % 8)).getBytes(StandardCharsets.UTF_8);
  }

  private static void write(OutputStream out, Tensor tensor) throws IOException {
    int piece = 1 << 16;
    double[] values = tensor.values();
    for (int from = 0; from < values.length; from += piece) {
      int count = Math.min(piece, values.length - from);
      byte[] bytes = new byte[count * tensor.type().bytes];
      ByteBuffer buffer = little(bytes);
      for (int i = from; i < from + count; i++) {
        if (tensor.type() == Type.F32) {
          buffer.putFloat((float) values[i]);
        } else {
          buffer.putDouble(values[i]);
        }
      }
      out.write(bytes);
    }
  }

  /**
   * Reads a file.
   *
   * @throws IOException naming the file, if it is damaged or has a type that is not supported
   */
  public static Safetensors read(Path file) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(file)))) {
      return read(in, Files.size(file));
    } catch (IllegalArgumentException | ArithmeticException | java.io.EOFException e) {
      throw new IOException(file + " is no safetensors file of F32 and F64: " + e.getMessage(), e);
    }
  }

  private static Safetensors read(DataInputStream in, long size) throws IOException {
    long length = Long.reverseBytes(in.readLong());
    require(length >= 2 && length <= LARGEST_HEADER && length <= size - 8, "header of " + length);
    byte[] header = new byte[(int) length];
    in.readFully(header);
    Map<String, String> metadata = new LinkedHashMap<>();
    Map<String, Entry> entries = new LinkedHashMap<>();
    Map<String, @Nullable Object> json =
        Json.readObject(new String(header, StandardCharsets.UTF_8).stripTrailing());
    for (Map.Entry<String, @Nullable Object> field : json.entrySet()) {
      if (field.getKey().equals(METADATA)) {
        ((Map<?, ?>) map(field)).forEach((k, v) -> metadata.put(k.toString(), String.valueOf(v)));
      } else {
        entries.put(field.getKey(), Entry.of(field.getKey(), map(field)));
      }
    }
    return new Safetensors(values(in, entries, size - 8 - length), metadata);
  }

  /** The numbers, in the order in which they lie in the file. */
  private static Map<String, Tensor> values(InputStream in, Map<String, Entry> entries, long size)
      throws IOException {
    List<Map.Entry<String, Entry>> sorted = new ArrayList<>(entries.entrySet());
    sorted.sort(Comparator.comparingLong(entry -> entry.getValue().begin));
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    long position = 0;
    for (Map.Entry<String, Entry> next : sorted) {
      Entry entry = next.getValue();
      require(entry.begin == position && entry.end <= size, "offsets of " + next.getKey());
      tensors.put(next.getKey(), new Tensor(entry.type, entry.shape, values(in, entry)));
      position = entry.end;
    }
    require(position == size, "numbers after the last tensor");
    return tensors;
  }

  private static double[] values(InputStream in, Entry entry) throws IOException {
    double[] values = new double[Math.toIntExact((entry.end - entry.begin) / entry.type.bytes)];
    int piece = 1 << 16;
    for (int from = 0; from < values.length; from += piece) {
      int count = Math.min(piece, values.length - from);
      byte[] bytes = new byte[count * entry.type.bytes];
      require(in.readNBytes(bytes, 0, bytes.length) == bytes.length, "length");
      ByteBuffer buffer = little(bytes);
      for (int i = from; i < from + count; i++) {
        values[i] = entry.type == Type.F32 ? buffer.getFloat() : buffer.getDouble();
      }
    }
    return values;
  }

  /** What the header says about one tensor. */
  private record Entry(Type type, List<Long> shape, long begin, long end) {

    static Entry of(String name, Map<?, ?> fields) {
      List<Long> offsets = longs(name, fields.get("data_offsets"));
      require(offsets.size() == 2, "offsets of " + name);
      Type type = Type.valueOf(String.valueOf(fields.get("dtype")));
      Entry entry =
          new Entry(type, longs(name, fields.get("shape")), offsets.get(0), offsets.get(1));
      require(
          entry.end - entry.begin == Math.multiplyExact(type.bytes, Tensor.size(entry.shape)),
          "offsets of " + name);
      return entry;
    }

    private static List<Long> longs(String name, @Nullable Object value) {
      List<Long> longs = new ArrayList<>();
      if (value instanceof List<?> list) {
        for (Object item : list) {
          require(item instanceof Long number && number >= 0, "numbers of " + name);
          longs.add((Long) item);
        }
        return longs;
      }
      throw new IllegalArgumentException("damaged: fields of " + name);
    }
  }

  private static Map<?, ?> map(Map.Entry<String, @Nullable Object> field) {
    if (field.getValue() instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("damaged: fields of " + field.getKey());
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException("damaged: " + what);
    }
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
