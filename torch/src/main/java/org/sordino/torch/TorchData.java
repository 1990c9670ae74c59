package org.sordino.torch;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;
import org.sordino.training.Rows;

/**
 * Records in memory, as floats or bytes, each with a target. Bytes are images that consist of
 * channels (planes); they are normalized to (x / 255 - mean) / standard deviation, with a public
 * mean and standard deviation per channel. The arrays are shared, not copied.
 */
public final class TorchData implements Rows {

  /** Index of a record of zeros, which fills up a batch. */
  static final int ZEROS = -1;

  private final int[] shape;
  private final int width;
  private final float @Nullable [] floats;
  private final byte @Nullable [] bytes;
  private final float[] targets;
  private final float[] means;
  private final float[] deviations;

  private TorchData(
      int[] shape,
      float @Nullable [] floats,
      byte @Nullable [] bytes,
      float[] targets,
      float[] means,
      float[] deviations) {
    this.shape = shape.clone();
    this.width = Shapes.size(shape);
    this.floats = floats;
    this.bytes = bytes;
    this.targets = targets;
    this.means = means.clone();
    this.deviations = deviations.clone();
    long numbers = floats == null ? bytes == null ? 0 : bytes.length : floats.length;
    if (numbers != (long) width * targets.length) {
      throw new IllegalArgumentException(
          "features must contain one record of shape "
              + Shapes.text(shape)
              + " per target, "
              + (long) width * targets.length
              + " numbers in total, got "
              + numbers);
    }
  }

  /** Creates records of floats in the given shape. */
  public static TorchData of(float[] features, int[] shape, float[] targets) {
    return new TorchData(shape, features, null, targets, new float[0], new float[0]);
  }

  /** Creates records from the rows of a table. */
  public static TorchData of(Examples examples) {
    return of(examples.features(), new int[] {examples.width()}, examples.targets());
  }

  /**
   * Creates images stored as bytes.
   *
   * @param pixels pixels of each image, channel by channel, row by row
   * @param shape channels, height, width
   * @param targets one target per image
   * @param means mean of x / 255 per channel; public
   * @param deviations standard deviation of x / 255 per channel, above 0; public
   */
  public static TorchData images(
      byte[] pixels, int[] shape, float[] targets, float[] means, float[] deviations) {
    if (shape.length != 3 || means.length != shape[0] || deviations.length != shape[0]) {
      throw new IllegalArgumentException(
          "images must have shape CxHxW with C means and C standard deviations, got "
              + Shapes.text(shape)
              + ", "
              + Arrays.toString(means)
              + " and "
              + Arrays.toString(deviations));
    }
    for (float deviation : deviations) {
      if (!(deviation > 0)) {
        throw new IllegalArgumentException("standard deviations must be above 0, got " + deviation);
      }
    }
    return new TorchData(shape, null, pixels, targets, means, deviations);
  }

  /**
   * Returns the same images, normalized by other means and standard deviations, one per channel.
   */
  public TorchData normalizedBy(double[] otherMeans, double[] otherDeviations) {
    return images(
        Objects.requireNonNull(bytes, "only images stored as bytes can be normalized"),
        shape,
        targets,
        Tensors.narrow(otherMeans),
        Tensors.narrow(otherDeviations));
  }

  /** Returns the first records, or all records if there are fewer. */
  public TorchData first(int most) {
    int count = Math.min(most, size());
    float[] someTargets = Arrays.copyOf(targets, count);
    return bytes == null
        ? of(Arrays.copyOf(Objects.requireNonNull(floats), count * width), shape, someTargets)
        : images(Arrays.copyOf(bytes, count * width), shape, someTargets, means, deviations);
  }

  /**
   * Returns the inner products of every record with the given directions.
   *
   * @param directions concatenated directions, each with as many numbers as a record
   */
  public TorchData projectedOn(double[] directions) {
    int count = directions.length / width;
    float[] projected = new float[Math.multiplyExact(size(), count)];
    IntStream.range(0, size())
        .parallel()
        .forEach(
            i -> {
              float[] row = new float[width];
              read(i, row);
              for (int k = 0; k < count; k++) {
                double sum = 0;
                for (int j = 0; j < width; j++) {
                  sum += directions[k * width + j] * row[j];
                }
                projected[i * count + k] = (float) sum;
              }
            });
    return of(projected, new int[] {count}, targets);
  }

  /** Returns the number of records, which is private unless it was declared. */
  @Override
  public int size() {
    return targets.length;
  }

  /** Returns the number of values of a record. */
  @Override
  public int width() {
    return width;
  }

  /** Returns the number of channels of an image; for plain features, every feature is a channel. */
  public int channels() {
    return shape.length == 3 ? shape[0] : width;
  }

  /** Copies a record before normalization; bytes become numbers in [0, 1]. */
  @Override
  public void read(int example, float[] row) {
    if (bytes == null) {
      System.arraycopy(Objects.requireNonNull(floats), example * width, row, 0, width);
      return;
    }
    for (int j = 0; j < width; j++) {
      row[j] = (bytes[example * width + j] & 0xff) / 255f;
    }
  }

  /**
   * Returns a digest of a record and its target, which looks random and depends on nothing else.
   */
  public byte[] digest(int example) {
    float[] row = new float[width + 1];
    read(example, row);
    row[width] = targets[example];
    return new Examples(row, width + 1, new float[1]).digest(0);
  }

  /** Returns the shape of a record. */
  public int[] shape() {
    return shape.clone();
  }

  /** Returns the target of a record. */
  public float target(int index) {
    return targets[index];
  }

  /**
   * Checks that records can be reshaped to the expected shape, for example images to plain
   * features.
   *
   * @throws IllegalArgumentException if the numbers of values differ
   */
  void requireShape(int[] expected) {
    if (Shapes.size(expected) != width) {
      throw new IllegalArgumentException(
          "records must fit the model's input shape "
              + Shapes.text(expected)
              + ", got shape "
              + Shapes.text(shape));
    }
  }

  /** Returns the indices, followed by {@link #ZEROS} up to a number of rows. */
  static int[] padded(int[] indices, int rows) {
    int[] padded = Arrays.copyOf(indices, rows);
    Arrays.fill(padded, indices.length, rows, ZEROS);
    return padded;
  }

  /**
   * Returns the chosen records as a batch of floats; images have the channels-last layout, with
   * which convolutions are fastest.
   *
   * @param indices indices of the records, or {@link #ZEROS}
   * @param as shape of a record
   */
  Tensor inputs(int[] indices, int[] as) {
    Tensor x;
    if (bytes != null) {
      byte[] chosen = new byte[indices.length * width];
      for (int i = 0; i < indices.length; i++) {
        if (indices[i] != ZEROS) {
          System.arraycopy(bytes, indices[i] * width, chosen, i * width, width);
        }
      }
      x = normalized(Tensors.of(chosen, 0, Shapes.batch(indices.length, shape)));
    } else {
      float[] all = Objects.requireNonNull(floats);
      float[] chosen = new float[indices.length * width];
      for (int i = 0; i < indices.length; i++) {
        if (indices[i] != ZEROS) {
          System.arraycopy(all, indices[i] * width, chosen, i * width, width);
        }
      }
      x = Tensors.of(chosen, 0, Shapes.batch(indices.length, shape));
    }
    Tensor shaped = x.reshape(Shapes.batch(indices.length, as));
    return as.length == 3 ? channelsLast(shaped) : shaped;
  }

  /**
   * Converts to the channels-last layout. With one channel, both layouts have the same memory and
   * only the strides distinguish them.
   */
  private static Tensor channelsLast(Tensor x) {
    long[] dims = x.shape();
    long[] strides = {dims[2] * dims[3], 1, dims[3], 1};
    return dims[1] == 1
        ? torch.as_strided(x.contiguous(), dims, strides)
        : x.contiguous(MemoryFormat.ChannelsLast);
  }

  private Tensor normalized(Tensor pixels) {
    float[] scales = new float[means.length];
    float[] shifts = new float[means.length];
    for (int c = 0; c < means.length; c++) {
      scales[c] = 1 / (255 * deviations[c]);
      shifts[c] = -means[c] / deviations[c];
    }
    return pixels
        .to(ScalarType.Float)
        .mul_(Tensors.of(scales, 0, means.length, 1, 1))
        .add_(Tensors.of(shifts, 0, means.length, 1, 1));
  }

  Tensor targets(int[] indices) {
    float[] chosen = new float[indices.length];
    for (int i = 0; i < indices.length; i++) {
      chosen[i] = indices[i] == ZEROS ? 0 : targets[indices[i]];
    }
    return Tensors.of(chosen, 0, chosen.length);
  }

  /** Passes everything a sum can depend on to a keyed digest, piece by piece. */
  void digest(Consumer<byte[]> digest) {
    ByteBuffer head = ByteBuffer.allocate(4 * (shape.length + 2 * means.length));
    Arrays.stream(shape).forEach(head::putInt);
    for (int c = 0; c < means.length; c++) {
      head.putFloat(means[c]).putFloat(deviations[c]);
    }
    digest.accept(head.array());
    if (bytes != null) {
      digest.accept(bytes);
    } else {
      digestFloats(Objects.requireNonNull(floats), digest);
    }
    digestFloats(targets, digest);
  }

  private static void digestFloats(float[] values, Consumer<byte[]> digest) {
    int piece = 1 << 16;
    for (int from = 0; from < values.length; from += piece) {
      int count = Math.min(piece, values.length - from);
      ByteBuffer buffer = ByteBuffer.allocate(4 * count);
      buffer.asFloatBuffer().put(values, from, count);
      digest.accept(buffer.array());
    }
  }
}
