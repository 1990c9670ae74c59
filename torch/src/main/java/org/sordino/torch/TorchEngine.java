package org.sordino.torch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
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

  /** Decay that is larger beside a bound may cancel more than float32 keeps digits of. */
  private static final double MINOR = 1.0 / 16;

  private final Architecture architecture;
  private final Loss loss;
  private final TorchData data;
  private final RandomKey dropout;
  private final long[] places; // one per example, by its content
  private final Shards shards;
  private final Workers workers;
  private final Layout layout;
  private final Unit unit;
  private final Records records;
  private final Map<String, Integer> vectors = new HashMap<>();

  private TorchEngine(
      Architecture architecture,
      Loss loss,
      TorchData data,
      RandomKey dropout,
      long[] places,
      Shards shards,
      Workers workers,
      Layout layout,
      Unit unit,
      Records records) {
    this.architecture = architecture;
    this.loss = loss;
    this.data = data;
    this.dropout = dropout;
    this.places = places;
    this.shards = shards;
    this.workers = workers;
    this.layout = layout;
    this.unit = unit;
    this.records = records;
    layout.names().forEach(name -> vectors.put(name, vectors.size()));
  }

  /**
   * An engine over records in memory.
   *
   * @param key dropout masks come from it; a run that is to be resumable keeps it
   * @throws IllegalArgumentException if model, loss and data do not fit each other
   */
  public static TorchEngine of(
      Architecture architecture, Loss loss, TorchData data, RandomKey key, Options options) {
    loss.check(architecture);
    data.requireShape(architecture.input());
    return new TorchEngine(
        architecture,
        loss,
        data,
        key.derive("dropout"),
        places(data),
        new Shards(options.microbatch(), Footprint.largestBatch(architecture)),
        new Workers(options.threads()),
        architecture.layout(),
        Unit.example(),
        Records.examples(data.size()));
  }

  /**
   * The same engine over another kind of records, with metrics; it takes the place of this one.
   *
   * @param metrics what else a record yields, as the plan lists it
   * @param unit what a record is
   * @param records which examples make up which record
   */
  public TorchEngine with(List<Layout.Vector> metrics, Unit unit, Records records) {
    Metric.requireClasses(metrics, loss.classes(architecture));
    List<Layout.Vector> following = layout.vectors(Layout.Role.MOVING_AVERAGE);
    if (unit.kind() == Unit.Kind.USER_UPDATE && !following.isEmpty()) {
      throw new IllegalArgumentException(
          "a user who trains at home cannot move "
              + following.get(0).name()
              + ", which follows the data of all; use group-norm");
    }
    return new TorchEngine(
        architecture,
        loss,
        data,
        dropout,
        places,
        shards,
        workers,
        architecture.layout().with(metrics),
        unit,
        records);
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
                    ? tasks(shards.batches(drawn, places), sample, theta, clipping, exact)
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
    Map<String, Tensor> weights = Weights.floats(architecture, theta, workers);
    List<Runnable> tasks = new ArrayList<>();
    for (int record : drawn) {
      int[] examples = records.members(record);
      if (examples.length > 0) {
        tasks.add(new RecordSum(this, examples, sample, theta, weights, clipping, sums));
      }
    }
    return tasks;
  }

  /** The masks of dropout, or null if there is none. */
  @Nullable Masks masks(PoissonSample sample, int[] examples) {
    return !architecture.layers().haveDropout()
        ? null
        : new Masks(
            dropout, sample.step(), Arrays.stream(examples).mapToLong(i -> places[i]).toArray());
  }

  private static long[] places(TorchData data) {
    return IntStream.range(0, data.size())
        .parallel()
        .mapToLong(i -> ByteBuffer.wrap(data.digest(i)).getLong() >>> 16)
        .toArray();
  }

  private List<Runnable> tasks(
      List<int[]> batches,
      PoissonSample sample,
      double[] theta,
      Clipping clipping,
      ExactSums sums) {
    Map<String, Tensor> weights = Weights.floats(architecture, theta, workers);
    Map<String, Tensor> decay =
        clipping.insideDecay() == 0 ? null : Weights.doubles(architecture, theta);
    double reach = decay == null ? 0 : reach(theta, clipping);
    boolean exact = !(reach <= MINOR);
    Clipping lowered = decay == null ? clipping : clipping.lowered(reach);
    List<Runnable> tasks = new ArrayList<>();
    for (int[] records : batches) {
      tasks.add(new BatchSum(this, records, sample, weights, decay, exact, lowered, sums));
    }
    return tasks;
  }

  /** How large lambda theta is beside the bounds. Parameters are public. */
  private double reach(double[] theta, Clipping clipping) {
    double[] squares = new double[clipping.vectors()];
    for (int j = 0; j < architecture.layout().size(); j++) {
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
   * |grad + lambda theta| is at most S, but w |grad| may be S + w lambda |theta|: {@link #tasks}
   * has {@link Clipping#lowered} cover that, step by step, since theta is public.)
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
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.derive("fingerprint").bytes(), "HmacSHA256"));
      String choices =
          String.join(
              "\n",
              architecture.toJson(),
              loss.name(),
              layout.names().toString(),
              unit.toString(),
              shards.toString(),
              Rule.VERSION,
              Libtorch.version(),
              Libtorch.processor());
      mac.update(choices.getBytes(StandardCharsets.UTF_8));
      mac.update(dropout.bytes());
      mac.update(records.bytes());
      data.digest(mac::update);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no HMAC-SHA-256", e);
    }
  }

  @Override
  public void close() {
    workers.close();
  }

  Architecture architecture() {
    return architecture;
  }

  Loss loss() {
    return loss;
  }

  TorchData data() {
    return data;
  }

  int vector(String parameter) {
    Integer vector = vectors.get(parameter);
    if (vector == null) {
      throw new IllegalStateException("no vector is called " + parameter);
    }
    return vector;
  }

  String parameter(int vector) {
    return layout().vectors().get(vector).name();
  }
}
