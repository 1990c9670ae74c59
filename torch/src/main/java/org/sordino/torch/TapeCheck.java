package org.sordino.torch;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.bytedeco.pytorch.Tensor;
import org.sordino.random.RandomKey;

/**
 * Checks, on the processor at hand, that what a network computes for one record does not depend on
 * the other records of a tape.
 *
 * <p>Matrix libraries choose a kernel by the shape of a matrix, and kernels add in different
 * orders. If tapes had as many rows as there are records, then adding a record could change the
 * last bit of what is computed for all others, and on the kink of a ReLU that bit decides whether a
 * gradient exists. Tapes therefore have one of few numbers of rows, so that every kernel only has
 * shapes that can be tested. Before any record is used, probe records run through the actual
 * network: in all rows of tapes of every size, and among companions that are zero, huge, denormal,
 * random and not a number. Everything from which a contribution is computed must be the same, bit
 * for bit: activations, derivatives, norms, inner products, materialized gradients, loss and
 * prediction. If it is not, one record is taped at a time, which leaves nothing to depend on.
 *
 * <p>The check also compares float32 sums with sums in float64, because the bound on their rounding
 * ({@link TorchEngine#roundingSlack}) assumes that the libraries add in float32 and not in less.
 */
final class TapeCheck {

  /**
   * What was computed for the probes of networks that passed in this process. For further engines
   * of the same network, a single probe on each thread is enough: it shows that the thread computes
   * the same, and nothing else differs.
   */
  private static final Map<String, byte[][]> KNOWN = new ConcurrentHashMap<>();

  private final TapedNetwork network;
  private final Probes probes;
  private final Map<String, Tensor> weights;
  private final Map<String, Tensor> doubles;

  /** What was computed for each probe in its first row; the last element is for float64. */
  private final byte[][] first = new byte[Probes.COUNT + 1][];

  private TapeCheck(Architecture architecture, Loss loss, double[] theta) {
    int tokens =
        architecture.layers().list().get(0) instanceof Embedding embedding
            ? embedding.vocabulary()
            : 0;
    this.probes = new Probes(architecture.input(), tokens, loss.classes(architecture));
    RandomKey dropout = RandomKey.insecure(1).derive("dropout");
    this.network = new TapedNetwork(architecture, loss, probes.data(), dropout);
    this.weights = Weights.floats(architecture, theta);
    this.doubles = Weights.doubles(architecture, theta);
  }

  /**
   * Returns sizes of tapes with which records do not affect each other: the given ones, the largest
   * of them, or one record.
   *
   * @param workers threads that will compute; each of them is checked
   * @throws IllegalStateException if records affect each other even if they are taped one at a time
   */
  static TapeSizes sizes(Architecture architecture, Loss loss, TapeSizes sizes, Workers workers) {
    for (TapeSizes some : List.of(sizes, sizes.onlyLargest(), TapeSizes.one())) {
      if (passes(architecture, loss, some, workers)) {
        return some;
      }
    }
    throw new IllegalStateException(
        "the network must compute the same numbers for a record on every thread, whatever records"
            + " were computed before it; if it has a layer of your own, that layer must not keep"
            + " any state");
  }

  /** Tells the user why a computation is slower than usual. */
  static void sayOneAtATime(String what) {
    System.err.printf(
        "On this processor, the libraries round differently in different rows of a batch."
            + " The %s therefore processes one record at a time, which is slower.%n",
        what);
  }

  private static boolean passes(
      Architecture architecture, Loss loss, TapeSizes sizes, Workers workers) {
    String key =
        String.join(
            "\n",
            architecture.toJson(),
            architecture.layers().toString(),
            loss.name(),
            sizes.toString());
    byte[][] known = KNOWN.get(key);
    double[] theta = theta(architecture);
    if (known != null
        && onEveryThread(
            workers, () -> again(architecture, loss, theta, known, sizes.smallest()))) {
      return true;
    }
    Queue<byte[][]> found = new ConcurrentLinkedQueue<>();
    boolean passes =
        onEveryThread(
            workers,
            () -> {
              TapeCheck check = new TapeCheck(architecture, loss, theta);
              found.add(check.first);
              return check.probesAgree(sizes) && check.addsInFloat(sizes.largest());
            });
    byte[][] first = found.element();
    if (!passes || !found.stream().allMatch(one -> Arrays.deepEquals(one, first))) {
      return false;
    }
    KNOWN.put(key, first);
    return true;
  }

  private static boolean onEveryThread(Workers workers, BooleanSupplier condition) {
    AtomicBoolean all = new AtomicBoolean(true);
    workers.onEveryThread(
        () -> Scopes.run(() -> all.compareAndSet(true, condition.getAsBoolean())));
    return all.get();
  }

  /**
   * Returns whether this thread computes for a probe what was computed in an earlier check of the
   * same network in this process.
   */
  private static boolean again(
      Architecture architecture, Loss loss, double[] theta, byte[][] known, int rows) {
    TapeCheck check = new TapeCheck(architecture, loss, theta);
    int probe = Probes.COUNT - 1;
    check.first[probe] = known[probe];
    return check.agrees(probe, new int[] {probe}, rows, false);
  }

  /** Returns weights without special values such as 0 or 1. */
  private static double[] theta(Architecture architecture) {
    Random random = new Random(2);
    double[] theta = architecture.initialWeights(RandomKey.insecure(1));
    for (int i = 0; i < theta.length; i++) {
      theta[i] = (float) (theta[i] + 0.05 * random.nextGaussian());
    }
    return theta;
  }

  private boolean probesAgree(TapeSizes sizes) {
    for (int rows : sizes.sizes()) {
      for (int probe = 0; probe < Probes.COUNT; probe++) {
        for (int[] records : Probes.batches(probe, rows)) {
          if (!agrees(probe, records, rows, false)) {
            return false;
          }
        }
      }
      for (int[] records : Probes.amongCompanions(0, rows)) {
        if (!agrees(0, records, rows, true)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns whether a probe has the same digest in all its rows of a tape as in its first row.
   *
   * @param exact whether to compare what is computed in float64, which happens only for large decay
   */
  private boolean agrees(int probe, int[] records, int rows, boolean exact) {
    List<Outcomes> outcomes = new ArrayList<>();
    boolean[] same = {true};
    Scopes.run(
        () -> {
          List<Tape.Recorded> tape = network.tape(records, rows, weights, 1, outcomes::add);
          Scopes.withoutGradients(
              () -> {
                Values values = new Values(tape, rows, exact);
                for (int i = 0; i < records.length; i++) {
                  if (records[i] == probe) {
                    byte[] digest = values.digest(i, outcomes.get(0));
                    same[0] &= agrees(exact ? Probes.COUNT : probe, digest);
                  }
                }
              });
        });
    return same[0];
  }

  private boolean agrees(int index, byte[] digest) {
    if (first[index] == null) {
      first[index] = digest;
    }
    return Arrays.equals(first[index], digest);
  }

  /** All numbers that belong to the rows of a tape. */
  private final class Values {

    private final int rows;
    private final List<double[]> columns = new ArrayList<>();
    private final List<RecordGradients> gradients = new ArrayList<>();

    Values(List<Tape.Recorded> tape, int rows, boolean exact) {
      this.rows = rows;
      for (Tape.Recorded recorded : tape) {
        add(recorded.a());
        add(recorded.g());
        add(recorded, exact);
      }
    }

    /** Adds a tensor whose first axis is the record. */
    private void add(Tensor tensor) {
      columns.add(Tensors.doubles(tensor));
    }

    /** Adds everything that is computed from the inputs and derivatives of a map. */
    private void add(Tape.Recorded recorded, boolean exact) {
      List<String> parameters = recorded.rule().parameters();
      List<RecordGradients> found =
          recorded
              .rule()
              .gradients(TapeSum.inType(recorded.a(), exact), TapeSum.inType(recorded.g(), exact));
      for (int k = 0; k < found.size(); k++) {
        add(found.get(k).squaredNorms());
        add(found.get(k).innerProducts(theta(parameters.get(k))));
        gradients.add(found.get(k));
      }
    }

    byte[] digest(int row, Outcomes outcomes) {
      MessageDigest digest = sha256();
      for (double[] column : columns) {
        int width = column.length / rows;
        update(digest, column, row * width, width);
      }
      for (RecordGradients one : gradients) {
        double[] numbers = Scopes.get(() -> Tensors.doubles(one.numbers(row)));
        update(digest, numbers, 0, numbers.length);
      }
      double[] outcome = {outcomes.loss(row), outcomes.named(row)};
      update(digest, outcome, 0, outcome.length);
      return digest.digest();
    }
  }

  private Tensor theta(String parameter) {
    return Objects.requireNonNull(doubles.get(parameter));
  }

  private static void update(MessageDigest digest, double[] values, int from, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(Double.BYTES, count));
    DoubleBuffer buffer = bytes.asDoubleBuffer();
    buffer.put(values, from, count);
    digest.update(bytes.array());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns whether float32 sums over a tape are as exact as {@link TorchEngine#roundingSlack}
   * assumes.
   */
  private boolean addsInFloat(int rows) {
    int[] records = Probes.inTurn(rows);
    boolean[] exact = {true};
    Scopes.run(
        () -> {
          List<Tape.Recorded> tape = network.tape(records, rows, weights, 1, null);
          Scopes.withoutGradients(
              () -> {
                for (Tape.Recorded recorded : tape) {
                  for (RecordGradients one :
                      recorded.rule().gradients(recorded.a(), recorded.g())) {
                    exact[0] &= one instanceof Written || addsInFloat(one, rows);
                  }
                }
              });
        });
    return exact[0];
  }

  /** Compares the sum over all rows with the sum over the probes, each times its rows' weights. */
  private boolean addsInFloat(RecordGradients gradients, int rows) {
    double[] all = new double[rows];
    double[] perProbe = new double[Probes.COUNT];
    Arrays.setAll(all, i -> 1 / (i + 2.0));
    for (int i = 0; i < rows; i++) {
      perProbe[i % Probes.COUNT] += all[i];
    }
    double[] sum = sum(gradients, all);
    double norms = 0;
    double[] expected = new double[sum.length];
    for (int probe = 0; probe < Math.min(Probes.COUNT, rows); probe++) {
      double[] only = new double[rows];
      only[probe] = 1;
      double[] vector = sum(gradients, only);
      norms += perProbe[probe] * norm(vector);
      for (int i = 0; i < sum.length; i++) {
        expected[i] += perProbe[probe] * vector[i];
      }
    }
    double[] difference = new double[sum.length];
    Arrays.setAll(difference, i -> sum[i] - expected[i]);
    return norm(difference)
        <= TorchEngine.gamma(TorchEngine.roundings(new TapeSizes(List.of(rows)), rows)) * norms;
  }

  private static double[] sum(RecordGradients gradients, double[] weights) {
    return Scopes.get(
        () -> Tensors.doubles(gradients.weightedSum(Tensors.of(weights, 0, weights.length))));
  }

  private static double norm(double[] vector) {
    double square = 0;
    for (double v : vector) {
      square += v * v;
    }
    return Math.sqrt(square);
  }
}
