package org.sordino.torch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import org.bytedeco.pytorch.Tensor;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.GradientEngine;
import org.sordino.training.Metric;
import org.sordino.training.Records;
import org.sordino.training.Unit;

/**
 * Computes clipped gradient sums of neural networks with libtorch. Runs one forward pass and one
 * backward pass to the outputs of the layers. Each layer's {@link Rule} then computes the norms of
 * the per-example gradients and their weighted sum, in most cases without materializing any
 * per-example gradient (Lee &amp; Kifer 2021, arXiv:2009.03106; Bu et al. 2023, arXiv:2210.00038).
 *
 * <p>{@link Shards} splits a sample into batches. The batches run on a thread pool, and their sums
 * are added exactly. The result does not depend on threads or timing.
 */
public final class TorchEngine implements GradientEngine {

  /**
   * Options that do not change the mechanism.
   *
   * @param threads number of batches that run in parallel
   * @param microbatch average number of records that share a float sum; a larger number is faster
   *     for models with many parameters but increases {@link #roundingSlack}
   */
  public record Options(int threads, int microbatch) {

    /** Returns the default options: all processors, 256 records. */
    public static Options defaults() {
      return new Options(Runtime.getRuntime().availableProcessors(), 256);
    }

    /** Returns the same options with another number of threads. */
    public Options withThreads(int count) {
      return new Options(count, microbatch);
    }
  }

  /**
   * The records and their contributions.
   *
   * @param metrics vectors of a record in addition to its gradient, in the order of the plan
   * @param unit kind of record
   * @param records examples of each record
   */
  public record Contributions(List<Layout.Vector> metrics, Unit unit, Records records) {

    public Contributions {
      metrics = List.copyOf(metrics);
    }

    /** Returns contributions that consist of gradients only; every example is a record. */
    public static Contributions ofExamples(int examples) {
      return new Contributions(List.of(), Unit.example(), Records.examples(examples));
    }

    private void check(Architecture architecture, Loss loss) {
      Metric.requireClasses(metrics, loss.classes(architecture));
      List<Layout.Vector> following = architecture.layout().vectors(Layout.Role.MOVING_AVERAGE);
      if (unit.kind() == Unit.Kind.USER_UPDATE && !following.isEmpty()) {
        throw new IllegalArgumentException(
            "local training on a user's examples cannot update "
                + following.get(0).name()
                + ", a moving average over the data of all users; use group-norm");
      }
    }
  }

  /**
   * Largest ratio of decay to bound for float32. With larger decay, more digits may cancel than
   * float32 has.
   */
  private static final double MINOR = 1.0 / 16;

  private final TapedNetwork network;
  private final TapeSizes sizes;
  private final Shards shards;
  private final Layout layout;
  private final Unit unit;
  private final Records records;
  private final Workers workers; // owned by this engine, closed with it

  private TorchEngine(
      TapedNetwork network, Options options, Contributions contributions, TapeSizes sizes) {
    Architecture architecture = network.architecture();
    this.network = network;
    this.layout = architecture.layout().with(contributions.metrics);
    this.unit = contributions.unit;
    this.records = contributions.records;
    this.workers = new Workers(options.threads());
    this.sizes = TapeCheck.sizes(architecture, network.loss(), sizes, workers);
    if (this.sizes.largest() < sizes.largest()) {
      TapeCheck.sayOneAtATime("network");
    }
    int largest = Footprint.largestBatch(architecture);
    this.shards = new Shards(options.microbatch(), largest, this.sizes.smallest());
  }

  /**
   * Creates an engine over records in memory, each of one example.
   *
   * @param key key of the dropout masks; a resumable run must keep it
   * @throws IllegalArgumentException if model, loss and data do not fit together
   */
  public static TorchEngine of(
      Architecture architecture, Loss loss, TorchData data, RandomKey key, Options options) {
    return of(architecture, loss, data, key, options, Contributions.ofExamples(data.size()));
  }

  /**
   * Creates an engine over records of any kind in memory, with metrics.
   *
   * @param key key of the dropout masks; a resumable run must keep it
   * @throws IllegalArgumentException if model, loss, data and contributions do not fit together
   */
  public static TorchEngine of(
      Architecture architecture,
      Loss loss,
      TorchData data,
      RandomKey key,
      Options options,
      Contributions contributions) {
    TapeSizes sizes = TapeSizes.upTo(Footprint.taped(architecture));
    return of(architecture, loss, data, key, options, contributions, sizes);
  }

  /**
   * Creates an engine with given sizes of tapes.
   *
   * @param sizes sizes of tapes, of which those are used that pass {@link TapeCheck}
   */
  static TorchEngine of(
      Architecture architecture,
      Loss loss,
      TorchData data,
      RandomKey key,
      Options options,
      Contributions contributions,
      TapeSizes sizes) {
    loss.check(architecture);
    data.requireShape(architecture.input());
    contributions.check(architecture, loss);
    TapedNetwork network = new TapedNetwork(architecture, loss, data, key.derive("dropout"));
    return new TorchEngine(network, options, contributions, sizes);
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public Unit unit() {
    return unit;
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    if (theta.length != layout.parameters() || sums.length != layout.dimension()) {
      throw new IllegalArgumentException(
          "theta and sums must have %d and %d numbers, got %d and %d"
              .formatted(layout.parameters(), layout.dimension(), theta.length, sums.length));
    }
    int[] drawn = sample.offsets(0, records.size());
    try (ExactSums exact = new ExactSums(layout, clipping, theta, sums)) {
      Scopes.run(
          () -> {
            List<Runnable> tasks =
                isSingle()
                    ? batchTasks(drawn, sample, theta, clipping, exact)
                    : recordTasks(drawn, sample, theta, clipping, exact);
            exact.expect(tasks.size());
            workers.run(tasks);
          });
      exact.finish(workers);
    }
  }

  private boolean isSingle() {
    return records.areExamples() && unit.kind() == Unit.Kind.EXAMPLE;
  }

  /**
   * Creates a task per record. Records without examples (empty slots) contribute nothing and are
   * skipped.
   */
  private List<Runnable> recordTasks(
      int[] drawn, PoissonSample sample, double[] theta, Clipping clipping, ExactSums sums) {
    EngineStep step = step(sample, theta, clipping, sums);
    List<Runnable> tasks = new ArrayList<>();
    for (int record : drawn) {
      int[] examples = records.members(record);
      if (examples.length > 0) {
        tasks.add(new RecordSum(step, unit, examples, theta));
      }
    }
    return tasks;
  }

  private List<Runnable> batchTasks(
      int[] drawn, PoissonSample sample, double[] theta, Clipping clipping, ExactSums sums) {
    boolean decays = clipping.insideDecay() != 0;
    double reach = decays ? reach(theta, clipping) : 0;
    boolean exact = !(reach <= MINOR);
    EngineStep step = step(sample, theta, decays ? clipping.lowered(reach) : clipping, sums);
    Map<String, Tensor> decay = decays ? Weights.doubles(network.architecture(), theta) : null;
    List<Runnable> tasks = new ArrayList<>();
    for (int[] batch : shards.batches(drawn, network.places(), network.data()::digest)) {
      tasks.add(new BatchSum(step, batch, decay, exact));
    }
    return tasks;
  }

  private EngineStep step(PoissonSample sample, double[] theta, Clipping clipping, ExactSums sums) {
    Map<String, Tensor> weights = Weights.floats(network.architecture(), theta, workers);
    return new EngineStep(network, sizes, layout, sample.step(), weights, clipping, sums);
  }

  /** Returns the size of lambda theta relative to the bounds. Parameters are public. */
  private double reach(double[] theta, Clipping clipping) {
    double[] squares = new double[clipping.vectors()];
    for (int j = 0; j < network.architecture().layout().size(); j++) {
      for (int i = layout.offset(j); i < layout.offset(j + 1); i++) {
        double v = clipping.insideDecay() * theta[i];
        squares[j] += v * v;
      }
      squares[j] *= RecordGradients.SQUARES;
    }
    return clipping.reach(squares);
  }

  /**
   * Returns how much the float sums of a range with and without a record can differ beyond the
   * record's contribution, relative to its bound. Only one range is affected. It has at most N =
   * {@link Shards#most} records, each with a contribution of at most S. (With decay inside the
   * clip, w |grad + lambda theta| is at most S, but w |grad| may be as large as S + w lambda
   * |theta|. {@link Clipping#lowered} covers this in {@link #batchTasks}, separately for each step
   * because theta is public.)
   *
   * <p>What is summed for a record does not depend on the other records ({@link TapeCheck}), so
   * only the rounding of sums remains:
   *
   * <ul>
   *   <li>The error of each of the two sums is at most gamma_n N S in float32, where n is the
   *       number of roundings of a number ({@link #roundings}). For a group of several vectors this
   *       holds for the norm of the group, by the triangle inequality over records.
   *   <li>Sums over positions are computed in float64 and add {@link SequenceProducts#slack}.
   *   <li>Each sum consists of at most {@link Shards#parts} parts, each rounded toward zero to a
   *       multiple of the unit, which is at most 2^-28 of the bound.
   * </ul>
   *
   * <p>Records of several examples are added exactly, one by one, and need no slack.
   */
  @Override
  public double roundingSlack() {
    if (!isSingle()) {
      return 0;
    }
    double n = shards.most() + 1;
    return 2 * gamma(roundings(sizes, n)) * n
        + 2 * SequenceProducts.slack(n)
        + 2 * shards.parts() * Math.sqrt(layout().dimension()) * 0x1p-28;
  }

  /**
   * Returns how often a number is rounded at most on its way into a float32 sum of so many records.
   * At most 64 rows of a tape are summed in one pass; then the sums of the passes and of the tapes
   * are added. Gradients that are summed row by row form blocks of 64 rows, whatever the tapes.
   * Weights and products are rounded too, with a few roundings to spare.
   *
   * @param sizes sizes of tapes; all tapes of a batch but the last have the largest
   */
  static double roundings(TapeSizes sizes, double records) {
    double block = RecordGradients.BLOCK;
    double rows = sizes.largest();
    double tapes = records / rows + 1;
    double byTape = Math.min(rows, block) + rows / block + tapes;
    return Math.max(byTape, block + records / block) + 8;
  }

  /** Returns the relative error of so many roundings in float32, for any order of summation. */
  static double gamma(double roundings) {
    return roundings * 0x1p-24 / (1 - roundings * 0x1p-24);
  }

  @Override
  public byte[] fingerprint(RandomKey key) {
    Mac mac = key.derive("fingerprint").hmac();
    String choices =
        String.join(
            "\n",
            network.architecture().toJson(),
            network.loss().name(),
            layout.names().toString(),
            unit.toString(),
            shards.toString(),
            sizes.toString(),
            Rule.VERSION,
            Libtorch.version(),
            Libtorch.processor());
    mac.update(choices.getBytes(StandardCharsets.UTF_8));
    mac.update(network.dropout().bytes());
    mac.update(records.bytes());
    network.data().digest(mac::update);
    return mac.doFinal();
  }

  @Override
  public void close() {
    workers.close();
  }
}
