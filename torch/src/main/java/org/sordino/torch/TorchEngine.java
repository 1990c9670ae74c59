package org.sordino.torch;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bytedeco.pytorch.Tensor;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.GradientEngine;

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

  private final Architecture architecture;
  private final Loss loss;
  private final TorchData data;
  private final RandomKey dropout;
  private final Shards shards;
  private final Workers workers;
  private final Map<String, Integer> vectors = new HashMap<>();

  private TorchEngine(
      Architecture architecture, Loss loss, TorchData data, RandomKey key, Options options) {
    this.architecture = architecture;
    this.loss = loss;
    this.data = data;
    this.dropout = key.derive("dropout");
    this.shards = new Shards(options.microbatch(), Footprint.largestBatch(architecture));
    architecture.layout().names().forEach(name -> vectors.put(name, vectors.size()));
    this.workers = new Workers(options.threads());
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
    return new TorchEngine(architecture, loss, data, key, options);
  }

  @Override
  public Layout layout() {
    return architecture.layout();
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    int dimension = layout().dimension();
    if (theta.length != dimension || sums.length != dimension) {
      throw new IllegalArgumentException(
          "theta and sums must have "
              + dimension
              + " numbers, got "
              + theta.length
              + " and "
              + sums.length);
    }
    List<int[]> batches = shards.batches(sample.offsets(0, data.size()), sample.rate());
    ExactSums exact = new ExactSums(layout(), clipping, theta, sums);
    Scopes.run(() -> workers.run(tasks(batches, sample.step(), theta, clipping, exact)));
  }

  private List<Runnable> tasks(
      List<int[]> batches, long step, double[] theta, Clipping clipping, ExactSums sums) {
    Map<String, Tensor> weights = Weights.floats(architecture, theta);
    Map<String, Tensor> inside =
        clipping.insideDecay() == 0 ? null : Weights.doubles(architecture, theta);
    List<Runnable> tasks = new ArrayList<>();
    for (int[] records : batches) {
      Masks masks = new Masks(dropout, step, records);
      tasks.add(new BatchSum(this, records, weights, inside, masks, clipping, sums));
    }
    return tasks;
  }

  /**
   * How the float sums of a range, in the presence and in the absence of a record, can differ
   * beyond what the record may contribute. All of it concerns one range of at most N = {@link
   * Shards#most} records, each with a contribution of at most S:
   *
   * <ul>
   *   <li>Each of the two sums is off by gamma_n N S in float32, where n = 64 + N / 64 + 8 counts
   *       the roundings that a number goes through: at most 64 records are summed in one go, these
   *       sums are added, and weights and products are rounded. For several vectors in a group this
   *       holds for the group's norm, by the triangle inequality over records.
   *   <li>Sums over positions are in float64 and add {@link SequenceProducts#slack}.
   *   <li>One more record shifts the others to other places and into batches of other sizes, where
   *       libtorch may add up in another order. Nothing is promised about that; the tests see
   *       relative differences of a gradient below 2^-20, and N times 2^-18 is allowed for.
   *   <li>Rounding to units, towards zero, moves a coordinate by a unit at most, which is 2^-28 of
   *       the bound or less.
   * </ul>
   */
  @Override
  public double roundingSlack() {
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
              shards.toString(),
              Rule.VERSION,
              Libtorch.version());
      mac.update(choices.getBytes(StandardCharsets.UTF_8));
      mac.update(dropout.bytes());
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
