package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Compares a private step with non-private ("plain") steps. All modes take turns in one process, so
 * that other load on the machine affects them equally. A private step consists of sampling, sum,
 * noise and update. Sampling is also measured separately. A plain step excludes sampling. The data
 * is synthetic.
 */
public final class StepBenchmark implements AutoCloseable {

  /** The step to run. */
  public enum Mode {
    /** The fastest non-private step: batches on a thread pool, channels-last layout. */
    PLAIN,
    /** The private step. */
    PRIVATE,
    /** The default of PyTorch: autograd on the whole batch, with libtorch's threads. */
    PLAIN_AUTOGRAD
  }

  /**
   * The measured values. Examples per second are medians over the rounds. Ratios are medians of the
   * step-time ratios within a round.
   *
   * @param plain examples per second of {@link Mode#PLAIN}
   * @param privately examples per second of {@link Mode#PRIVATE}
   * @param plainAutograd examples per second of {@link Mode#PLAIN_AUTOGRAD}
   * @param ratio private step time divided by plain step time
   * @param ratioAutograd private step time divided by the step time of plain autograd
   * @param samplingMillis time to draw one sample, in milliseconds
   * @param rounds number of rounds
   */
  public record Result(
      double plain,
      double privately,
      double plainAutograd,
      double ratio,
      double ratioAutograd,
      double samplingMillis,
      int rounds) {

    /** Returns the output of {@code bench step --json}. */
    public Map<String, Object> json() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("plain", plain);
      map.put("private", privately);
      map.put("plainAutograd", plainAutograd);
      map.put("ratio", ratio);
      map.put("ratioAutograd", ratioAutograd);
      map.put("samplingMillis", samplingMillis);
      map.put("rounds", rounds);
      return map;
    }
  }

  private static final int POPULATION = 20; // in batches
  private static final double LEARNING_RATE = 0.01;
  private static final int PLAIN_TRIALS = 7;
  private static final int SPINNING_MILLIS = 200;
  private static final double TURN_SECONDS = 0.3;
  private static final int SLICE = 1 << 16;

  /** Sizes of plain batches are multiples of 4: libtorch prepares a kernel for every size. */
  private static final int PLAIN_MULTIPLE = 4;

  private final Architecture architecture;
  private final int batch;
  private final int threads;
  private final TorchData data;
  private final TorchEngine engine;
  private final Workers workers;
  private final Mechanism mechanism;
  private final Clipping clipping;
  private final GaussianNoise noise;
  private final RandomKey key = RandomKey.insecure(1);
  private final double[] theta;
  private final long[] sums;
  private final PlainStep plain;
  private final PlainStep autograd;
  private final List<Shards> plainShards = new ArrayList<>();
  private final long[] even; // evenly spaced values, in place of content hashes
  private int plainChoice;
  private long step;

  private StepBenchmark(String model, int batch, int threads, String rule) {
    this.architecture = Architecture.preset(model);
    this.batch = batch;
    this.threads = threads;
    this.data = data(architecture, POPULATION * batch);
    this.even = new long[data.size()];
    Arrays.setAll(even, i -> Shards.PLACES / even.length * i);
    this.engine =
        TorchEngine.of(
            architecture,
            Loss.CROSS_ENTROPY,
            data,
            key,
            TorchEngine.Options.defaults().withThreads(threads));
    this.workers = new Workers(threads);
    this.mechanism =
        Mechanism.of(
            architecture.layout(), groups(architecture.layout(), rule), NoiseAllocation.EQUAL, 1.1);
    this.clipping = mechanism.clipping(data.size(), 0, engine.roundingSlack());
    this.noise = GaussianNoise.of(key.derive("noise"));
    this.theta = architecture.initialWeights(key.derive("init"));
    this.sums = new long[theta.length];
    this.plain = new PlainStep(architecture, Loss.CROSS_ENTROPY, data, true);
    this.autograd = new PlainStep(architecture, Loss.CROSS_ENTROPY, data, false);
    for (int largest = 16; largest <= 512; largest *= 2) {
      plainShards.add(
          new Shards(Math.max(1, (batch + threads - 1) / threads), largest, PLAIN_MULTIPLE));
    }
  }

  /**
   * Creates a benchmark.
   *
   * @param model name of a preset
   * @param batch expected number of records in a step
   * @param threads number of threads in all modes
   * @param clipping {@code flat}, {@code per-layer}, {@code joint} or {@code auto}
   */
  public static StepBenchmark of(String model, int batch, int threads, String clipping) {
    if (batch < 1) {
      throw new IllegalArgumentException("batch must be at least 1, got " + batch);
    }
    return new StepBenchmark(model, batch, threads, clipping);
  }

  private static List<VectorGroup> groups(Layout layout, String rule) {
    List<String> names = layout.names();
    double each = 1 / Math.sqrt(names.size());
    return switch (rule) {
      case "flat" -> List.of(VectorGroup.flat("all", names, 1));
      case "per-layer" -> VectorGroup.perLayer(names, 1);
      case "joint" ->
          List.of(VectorGroup.joint("all", names, names.stream().map(name -> each).toList(), 1));
      case "auto" -> List.of(VectorGroup.automatic("all", names, 1, 0.01));
      default ->
          throw new IllegalArgumentException(
              "clipping must be flat, per-layer, joint or auto, got " + rule);
    };
  }

  private static TorchData data(Architecture architecture, int records) {
    Random random = new Random(7);
    int[] shape = architecture.input();
    float[] targets = new float[records];
    for (int i = 0; i < records; i++) {
      targets[i] = random.nextInt(architecture.output()[0]);
    }
    if (shape.length == 3) {
      byte[] pixels = new byte[Math.multiplyExact(records, Shapes.size(shape))];
      random.nextBytes(pixels);
      float[] half = new float[shape[0]];
      Arrays.fill(half, 0.5f);
      return TorchData.images(pixels, shape, targets, half, half);
    }
    float[] features = new float[Math.multiplyExact(records, Shapes.size(shape))];
    for (int i = 0; i < features.length; i++) {
      features[i] = random.nextFloat() - 0.5f;
    }
    return TorchData.of(features, shape, targets);
  }

  /**
   * Alternates all modes.
   *
   * @param warmUp duration of the warm-up in seconds, which is not measured: training takes
   *     thousands of steps, and all but the first ones run compiled code
   * @param rounds number of rounds
   */
  public Result run(double warmUp, int rounds) {
    warmUp(warmUp);
    choosePlain();
    Map<Mode, double[]> seconds = new EnumMap<>(Mode.class);
    for (Mode mode : Mode.values()) {
      seconds.put(mode, new double[rounds]);
    }
    double[] sampling = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      for (Mode mode : Mode.values()) {
        times(seconds, mode)[round] = turn(mode);
      }
      letThreadsSleep();
      long start = System.nanoTime();
      sample().offsets(0, data.size());
      sampling[round] = (System.nanoTime() - start) / 1e6;
    }
    return result(seconds, sampling);
  }

  /**
   * Waits until the threads of libtorch and OpenBLAS have gone to sleep. They keep spinning for
   * some time after their work is done, and would take processor time from the next measurement.
   */
  private static void letThreadsSleep() {
    try {
      Thread.sleep(SPINNING_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Warms up mainly the modes that also run in Java. Autograd is native code and needs no
   * compilation.
   */
  private void warmUp(double seconds) {
    long start = System.nanoTime();
    time(Mode.PLAIN_AUTOGRAD);
    letThreadsSleep();
    do {
      time(Mode.PLAIN);
      time(Mode.PRIVATE);
    } while ((System.nanoTime() - start) / 1e9 < seconds);
  }

  private Result result(Map<Mode, double[]> seconds, double[] sampling) {
    double[] plains = times(seconds, Mode.PLAIN);
    double[] privates = times(seconds, Mode.PRIVATE);
    double[] autograds = times(seconds, Mode.PLAIN_AUTOGRAD);
    return new Result(
        batch / median(plains),
        batch / median(privates),
        batch / median(autograds),
        median(ratios(privates, plains)),
        median(ratios(privates, autograds)),
        median(sampling),
        plains.length);
  }

  /**
   * Returns the mean step time of one turn, in seconds. The first step is not counted: the caches
   * still contain data of another mode, which does not happen in training.
   */
  private double turn(Mode mode) {
    time(mode);
    double total = 0;
    int steps = 0;
    while (total < TURN_SECONDS) {
      total += time(mode);
      steps++;
    }
    return total / steps;
  }

  private static double[] times(Map<Mode, double[]> seconds, Mode mode) {
    return Objects.requireNonNull(seconds.get(mode));
  }

  /**
   * Selects the batch size with which the plain step is fastest, so that the baseline is as fast as
   * possible.
   */
  private void choosePlain() {
    double best = Double.POSITIVE_INFINITY;
    int choice = 0;
    for (int i = 0; i < plainShards.size(); i++) {
      plainChoice = i;
      double fastest = Double.POSITIVE_INFINITY;
      for (int round = 0; round < PLAIN_TRIALS; round++) {
        fastest = Math.min(fastest, time(Mode.PLAIN));
      }
      if (fastest < best) {
        best = fastest;
        choice = i;
      }
    }
    plainChoice = choice;
  }

  /** Runs one step and returns its time in seconds, which excludes sampling for plain steps. */
  public double time(Mode mode) {
    step++;
    return switch (mode) {
      case PLAIN -> timePlain();
      case PRIVATE -> timePrivate();
      case PLAIN_AUTOGRAD -> timeAutograd();
    };
  }

  private PoissonSample sample() {
    return PoissonSample.of(key.derive("sampling"), step, 1.0 / POPULATION);
  }

  private double timePrivate() {
    PoissonSample sample = sample();
    long start = System.nanoTime();
    Arrays.fill(sums, 0);
    engine.sum(sample, theta, clipping, sums);
    Layout layout = architecture.layout();
    for (int j = 0; j < layout.size(); j++) {
      int from = layout.offset(j);
      int to = layout.offset(j + 1);
      double unit = clipping.unit(j);
      noise.add(step, sums, from, to, mechanism.deviation(j) / unit);
      double rate = LEARNING_RATE * unit / batch;
      update(from, to, rate);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** Updates the parameters on the same threads that have added the noise. */
  private void update(int from, int to, double rate) {
    IntStream slices = IntStream.range(0, (to - from + SLICE - 1) / SLICE);
    (to - from > 4 * SLICE ? slices.parallel() : slices)
        .forEach(
            slice -> {
              int first = from + slice * SLICE;
              int last = Math.min(to, first + SLICE);
              for (int k = first; k < last; k++) {
                theta[k] -= rate * sums[k];
              }
            });
  }

  private double timePlain() {
    int[] records = sample().offsets(0, data.size());
    List<int[]> batches = plainShards.get(plainChoice).batches(records, even, data::digest);
    return Scopes.get(
        () -> {
          Map<String, Tensor> parameters = plain.parameters(theta);
          long start = System.nanoTime();
          plain.sharded(workers, batches, parameters, LEARNING_RATE / batch);
          return (System.nanoTime() - start) / 1e9;
        });
  }

  private double timeAutograd() {
    int[] records = sample().offsets(0, data.size());
    return Scopes.get(
        () -> {
          Map<String, Tensor> parameters = autograd.parameters(theta);
          torch.set_num_threads(threads);
          openblas_nolapack.blas_set_num_threads(threads);
          long start = System.nanoTime();
          autograd.whole(records, parameters, LEARNING_RATE / batch);
          double seconds = (System.nanoTime() - start) / 1e9;
          Libtorch.useOneThread();
          return seconds;
        });
  }

  private static double[] ratios(double[] over, double[] under) {
    double[] ratios = new double[over.length];
    Arrays.setAll(ratios, i -> over[i] / under[i]);
    return ratios;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  @Override
  public void close() {
    engine.close();
    workers.close();
  }
}
