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
 * Clipped gradient sums of neural networks, on libtorch. One forward pass and one pass back to the
 * outputs of the layers; from there each layer's {@link Rule} knows the norm of every record's
 * gradient and their weighted sum, mostly without writing a single record's gradient down (Lee
 * &amp; Kifer 2021, arXiv:2009.03106; Bu et al. 2023, arXiv:2210.00038).
 *
 * <p>A sample is cut into batches by {@link Shards}; they run on a pool of threads, and their sums
 * are added exactly. The result does not depend on threads or timing.
 */
public final class TorchEngine implements GradientEngine {

  /**
   * What may be chosen without changing the mechanism.
   *
   * @param threads how many batches run at once
   * @param microbatch how many records share a float sum, on average; more is faster for models
   *     with many parameters and makes {@link #roundingSlack} larger
   */
  public record Options(int threads, int microbatch) {

    /** All processors, 256 records. */
    public static Options defaults() {
      return new Options(Runtime.getRuntime().availableProcessors(), 256);
    }

    /** The same with another number of threads. */
    public Options withThreads(int count) {
      return new Options(count, microbatch);
    }
  }

  /**
   * What the records are and what each of them contributes.
   *
   * @param metrics what a record yields beside its gradient, as the plan lists it
   * @param unit what a record is
   * @param records which examples make up which record
   */
  public record Contributions(List<Layout.Vector> metrics, Unit unit, Records records) {

    public Contributions {
      metrics = List.copyOf(metrics);
    }

    /** Gradients alone, every example a record. */
    public static Contributions ofExamples(int examples) {
      return new Contributions(List.of(), Unit.example(), Records.examples(examples));
    }

    private void check(Architecture architecture, Loss loss) {
      Metric.requireClasses(metrics, loss.classes(architecture));
      List<Layout.Vector> following = architecture.layout().vectors(Layout.Role.MOVING_AVERAGE);
      if (unit.kind() == Unit.Kind.USER_UPDATE && !following.isEmpty()) {
        throw new IllegalArgumentException(
            "a user who trains at home cannot move "
                + following.get(0).name()
                + ", which follows the data of all; use group-norm");
      }
    }
  }

  /** Decay that is larger beside a bound may cancel more than float32 keeps digits of. */
  private static final double MINOR = 1.0 / 16;

  private final TapedNetwork network;
  private final Shards shards;
  private final Layout layout;
  private final Unit unit;
  private final Records records;
  private final Workers workers; // owned by this engine, closed with it

  private TorchEngine(TapedNetwork network, Options options, Contributions contributions) {
    Architecture architecture = network.architecture();
    this.network = network;
    this.shards = new Shards(options.microbatch(), Footprint.largestBatch(architecture));
    this.layout = architecture.layout().with(contributions.metrics);
    this.unit = contributions.unit;
    this.records = contributions.records;
    this.workers = new Workers(options.threads());
  }

  /**
   * An engine over records in memory, each of one example.
   *
   * @param key dropout masks come from it; a run that is to be resumable keeps it
   * @throws IllegalArgumentException if model, loss and data do not fit each other
   */
  public static TorchEngine of(
      Architecture architecture, Loss loss, TorchData data, RandomKey key, Options options) {
    return of(architecture, loss, data, key, options, Contributions.ofExamples(data.size()));
  }

  /**
   * An engine over records in memory of any kind, with metrics.
   *
   * @param key dropout masks come from it; a run that is to be resumable keeps it
   * @throws IllegalArgumentException if model, loss, data and contributions do not fit each other
   */
  public static TorchEngine of(
      Architecture architecture,
      Loss loss,
      TorchData data,
      RandomKey key,
      Options options,
      Contributions contributions) {
    loss.check(architecture);
    data.requireShape(architecture.input());
    contributions.check(architecture, loss);
    TapedNetwork network = new TapedNetwork(architecture, loss, data, key.derive("dropout"));
    return new TorchEngine(network, options, contributions);
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

  /** A record without examples, an empty slot, has nothing to say. */
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
    for (int[] batch : shards.batches(drawn, network.places())) {
      tasks.add(new BatchSum(step, batch, decay, exact));
    }
    return tasks;
  }

  private EngineStep step(PoissonSample sample, double[] theta, Clipping clipping, ExactSums sums) {
    Map<String, Tensor> weights = Weights.floats(network.architecture(), theta, workers);
    return new EngineStep(network, layout, sample.step(), weights, clipping, sums);
  }

  /** How large lambda theta is beside the bounds. Parameters are public. */
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
   * How the float sums of a range, in the presence and in the absence of a record, can differ
   * beyond what the record may contribute. All of it concerns one range of at most N = {@link
   * Shards#most} records, each with a contribution of at most S. (With decay inside the clip w
   * |grad + lambda theta| is at most S, but w |grad| may be S + w lambda |theta|: {@link
   * #batchTasks} has {@link Clipping#lowered} cover that, step by step, since theta is public.)
   *
   * <ul>
   *   <li>Each of the two sums is off by gamma_n N S in float32, where n = 64 + N / 64 + 8 counts
   *       the roundings that a number goes through: at most 64 records are summed in one go, these
   *       sums are added, and weights and products are rounded. (Where k = 8 to 64 records are
   *       taped at a time, it is k and then at most 512 / k sums, not more than 72.) For several
   *       vectors in a group this holds for the group's norm, by the triangle inequality over
   *       records.
   *   <li>Sums over positions are in float64 and add {@link SequenceProducts#slack}.
   *   <li>One more record shifts the others to other places and into batches of other sizes, where
   *       libtorch may add up in another order. Nothing is promised about that; the tests see
   *       relative differences of a gradient below 2^-20, and N S 2^-18 is allowed for.
   *   <li>Rounding to units, towards zero, moves a coordinate by a unit at most, which is 2^-28 of
   *       the bound or less.
   * </ul>
   *
   * Records of several examples are added exactly, one by one.
   */
  @Override
  public double roundingSlack() {
    if (!isSingle()) {
      return 0;
    }
    double n = shards.most() + 1;
    double chain = RecordGradients.BLOCK + n / RecordGradients.BLOCK + 8;
    double gamma = chain * 0x1p-24 / (1 - chain * 0x1p-24);
    return 2 * gamma * n
        + 2 * SequenceProducts.slack(n)
        + n * 0x1p-18
        + Math.sqrt(layout().dimension()) * 0x1p-28;
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
