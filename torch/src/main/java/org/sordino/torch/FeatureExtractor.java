package org.sordino.torch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * A frozen network in front of a private head: a TorchScript file trained on public data, or a
 * fixed wavelet transform. Features are computed once, and only the head is trained. The network
 * must process each record independently; this is tested on artificial records before any record is
 * read. All batches have the same number of rows, so that the features of a record do not depend on
 * the other records, bit for bit ({@link TapeCheck} explains why they otherwise would).
 */
public final class FeatureExtractor implements AutoCloseable {

  /** Number of rows of a batch; the last one is filled up with zeros. */
  private static final int ROWS = 64;

  /** A larger relative difference between two batches is not rounding. */
  private static final double ROUNDING = 1e-3;

  private final String name;
  private final UnaryOperator<Tensor> network;
  private final Runnable release;

  private FeatureExtractor(String name, UnaryOperator<Tensor> network, Runnable release) {
    this.name = name;
    this.network = network;
    this.release = release;
  }

  /**
   * Loads a file written by {@code torch.jit.save}.
   *
   * @throws IllegalArgumentException if the file is not TorchScript; the message names the file
   */
  public static FeatureExtractor load(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          file + " must be a TorchScript file, but it does not exist");
    }
    Libtorch.load();
    try {
      JitModule module = torch.load(file.toString());
      module.retainReference(); // must outlive the scope of the caller
      module.eval();
      return new FeatureExtractor(
          file.toString(),
          x -> module.forward(new IValueVector(new IValue(x))).toTensor(),
          module::releaseReference);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          file + " must be a TorchScript file; export it with torch.jit.save", e);
    }
  }

  /**
   * Returns the scattering transform (Bruna &amp; Mallat 2013): local averages of images, of the
   * moduli of their wavelet transforms, and of the moduli of a second wavelet transform of these.
   * It yields 81 numbers per channel for every square of 8 x 8 pixels. Nothing in it is learned
   * from data.
   */
  public static FeatureExtractor scattering() {
    Libtorch.load();
    return new FeatureExtractor("scattering", new Scattering(), () -> {});
  }

  /**
   * Computes the features of all records. The result has the same targets.
   *
   * @param input input shape of the network
   * @param threads number of batches that run in parallel
   * @throws IllegalArgumentException if the network does not accept that shape or mixes records
   */
  public TorchData features(TorchData data, int[] input, int threads) {
    data.requireShape(input);
    try (Workers workers = new Workers(threads)) {
      int width = width(input);
      int rows = rows(input, workers);
      float[] features = new float[Math.multiplyExact(data.size(), width)];
      float[] targets = new float[data.size()];
      List<Runnable> tasks = new ArrayList<>();
      for (int from = 0; from < data.size(); from += rows) {
        int[] records = new int[Math.min(rows, data.size() - from)];
        int first = from;
        Arrays.setAll(records, i -> first + i);
        tasks.add(
            () -> {
              float[] values = features(data, input, records, rows);
              System.arraycopy(values, 0, features, first * width, records.length * width);
            });
      }
      workers.run(tasks);
      for (int i = 0; i < targets.length; i++) {
        targets[i] = data.target(i);
      }
      return TorchData.of(features, new int[] {width}, targets);
    }
  }

  /** Returns the features of some records, followed by those of the rows of zeros after them. */
  private float[] features(TorchData data, int[] input, int[] records, int rows) {
    int[] padded = TorchData.padded(records, rows);
    float[][] values = new float[1][];
    Scopes.run(
        () ->
            Scopes.withoutGradients(
                () -> values[0] = Tensors.floats(forward(data.inputs(padded, input)))));
    return values[0];
  }

  private Tensor forward(Tensor x) {
    return Tensors.rows(network.apply(x));
  }

  /** Determines the number of features by running the network on noise. */
  private int width(int[] input) {
    return Scopes.get(
        () -> {
          try {
            return Math.toIntExact(forward(torch.randn(Shapes.batch(3, input))).size(1));
          } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                name + " must accept batches of records of shape " + Shapes.text(input), e);
          }
        });
  }

  /**
   * Returns the number of rows of a batch with which the features of a record do not depend on the
   * other records, bit for bit, on any thread: {@link #ROWS}, or 1 if the libraries round
   * differently in different rows.
   */
  private int rows(int[] input, Workers workers) {
    for (int rows : new int[] {ROWS, 1}) {
      Queue<Agreement> found = new ConcurrentLinkedQueue<>();
      workers.onEveryThread(() -> found.add(agreement(input, rows)));
      Agreement first = found.element();
      if (found.stream().allMatch(one -> one.sameAs(first))) {
        if (rows == 1) {
          TapeCheck.sayOneAtATime("feature extractor");
        }
        return rows;
      }
      if (!found.stream().allMatch(one -> one.difference <= ROUNDING)) {
        break;
      }
    }
    throw new IllegalArgumentException(
        name
            + " must process each record independently, but the features of a record"
            + " change with the other records in its batch; export it in eval mode");
  }

  /**
   * The features of the probes on one thread.
   *
   * @param features features of each probe in its first row
   * @param difference largest relative difference of another row; 0 if all bits are the same
   */
  private record Agreement(float[][] features, double difference) {

    boolean sameAs(Agreement other) {
      return difference == 0
          && other.difference == 0
          && Arrays.deepEquals(features, other.features);
    }
  }

  private Agreement agreement(int[] input, int rows) {
    Probes probes = new Probes(input, 0, 0);
    float[][] first = new float[Probes.COUNT][];
    double difference = 0;
    for (int probe = 0; probe < Probes.COUNT; probe++) {
      for (int[] records : Probes.batches(probe, rows)) {
        float[] values = features(probes.data(), input, records, rows);
        int width = values.length / rows;
        for (int i = 0; i < records.length; i++) {
          if (records[i] == probe) {
            float[] row = Arrays.copyOfRange(values, i * width, (i + 1) * width);
            first[probe] = first[probe] == null ? row : first[probe];
            difference = Math.max(difference, difference(first[probe], row));
          }
        }
      }
    }
    return new Agreement(first, difference);
  }

  private static double difference(float[] expected, float[] actual) {
    if (Arrays.equals(expected, actual)) {
      return 0;
    }
    double square = 0;
    double total = 0;
    for (int i = 0; i < expected.length; i++) {
      double difference = expected[i] - (double) actual[i];
      square += difference * difference;
      total += expected[i] * (double) expected[i];
    }
    double relative = Math.sqrt(square / total);
    return relative > 0 ? relative : Double.POSITIVE_INFINITY;
  }

  @Override
  public void close() {
    release.run();
  }
}
