package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.Metric;
import org.sordino.training.Records;
import org.sordino.training.Unit;

/**
 * Attacks the bound on a record's contribution with random networks, weights, clipping rules and
 * records, hostile ones included. Every case compares the sums over a sample with and without one
 * record.
 */
class NetworkAttackTest {

  private static final List<String> NETWORKS =
      List.of(
          "linear",
          "no-bias",
          "sequence",
          "sequence-gram",
          "conv1d",
          "conv2d",
          "conv2d-few",
          "conv2d-groups",
          "conv2d-planar",
          "embedding",
          "layer-norm",
          "group-norm",
          "bias-scale",
          "residual-identity",
          "attention",
          "lstm",
          "gru",
          "pools",
          "reshapes");

  /** Samples drawn for each pair of data sets. */
  private static final int SAMPLES = 20;

  private static final int MOST_RECORDS = 32;

  private final Random random = new Random(20);
  private double worst;
  private int cases;

  @Test
  void sum_randomNeighbors_changesByAtMostTheBound() {
    attack(1_000);
  }

  @Test
  @Tag("slow") // 20,000 pairs of neighbors, or as many as the property says
  void sum_manyRandomNeighbors_changesByAtMostTheBound() {
    attack(Integer.getInteger("sordino.neighbors", 20_000));
  }

  private void attack(int count) {
    while (cases < count) {
      attackOnce(NETWORKS.get(random.nextInt(NETWORKS.size())));
    }
    System.out.printf("%,d neighbors of small networks: at most %.6f bounds%n", cases, worst);
    assertThat(worst).isGreaterThan(0.9).isLessThanOrEqualTo(1 + 1e-12);
  }

  /** Compares the sums over n records and over the same records with one more. */
  private void attackOnce(String name) {
    Architecture network = Nets.architecture(name);
    int n = random.nextInt(MOST_RECORDS);
    int width = Shapes.size(network.input());
    float[] features = new float[(n + 1) * width];
    float[] targets = new float[n + 1];
    boolean tokens = name.equals("embedding");
    for (int record = 0; record <= n; record++) {
      fill(features, record * width, width, tokens);
      targets[record] = random.nextInt(10) == 0 ? hostile() : random.nextInt(network.output()[0]);
    }
    double[] theta = Nets.theta(network, random.nextLong());
    double size = Math.pow(10, random.nextInt(5) - 2);
    Arrays.setAll(theta, i -> theta[i] * size);
    List<VectorGroup> groups = groups(network.layout());
    Layout layout = network.layout().with(metrics(network.output()[0], groups.size()));
    groups.addAll(metricGroups(layout, groups.size()));
    Mechanism mechanism = Mechanism.of(layout, groups, NoiseAllocation.EQUAL, 0);
    double decay = random.nextInt(3) == 0 ? Math.pow(10, random.nextInt(7) - 5) : 0;
    try (TorchEngine less = engine(network, features, targets, n, layout);
        TorchEngine more = engine(network, features, targets, n + 1, layout)) {
      Clipping clipping = mechanism.clipping(1000, decay, less.roundingSlack());
      for (int i = 0; i < SAMPLES; i++) {
        PoissonSample sample =
            PoissonSample.of(RandomKey.insecure(cases), i, 1 - random.nextInt(4) / 5.0);
        compare(less, more, sample, theta, clipping, groups);
      }
    }
  }

  private void compare(
      TorchEngine less,
      TorchEngine more,
      PoissonSample sample,
      double[] theta,
      Clipping clipping,
      List<VectorGroup> groups) {
    Layout layout = less.layout();
    long[] without = new long[layout.dimension()];
    long[] with = new long[layout.dimension()];
    less.sum(sample, theta, clipping, without);
    more.sum(sample, theta, clipping, with);
    for (VectorGroup group : groups) {
      double square = 0;
      for (int k = 0; k < group.vectors().size(); k++) {
        int j = layout.names().indexOf(group.vectors().get(k));
        double unit = clipping.unit(j) / group.scales().get(k);
        for (int i = layout.offset(j); i < layout.offset(j + 1); i++) {
          double change = Math.subtractExact(with[i], without[i]) * unit;
          square += change * change;
        }
      }
      worst = Math.max(worst, Math.sqrt(square) / group.bound());
    }
    cases++;
  }

  private TorchEngine engine(
      Architecture network, float[] features, float[] targets, int n, Layout layout) {
    int width = features.length / targets.length;
    TorchData data =
        TorchData.of(
            Arrays.copyOf(features, n * width), network.input(), Arrays.copyOf(targets, n));
    return TorchEngine.of(
        network,
        Loss.CROSS_ENTROPY,
        data,
        RandomKey.insecure(1),
        new TorchEngine.Options(1, 16),
        new TorchEngine.Contributions(
            layout.vectors(Layout.Role.METRIC), Unit.example(), Records.examples(n)));
  }

  /** Fills a record with one of several kinds of values. */
  private void fill(float[] features, int from, int width, boolean tokens) {
    int kind = random.nextInt(8);
    float size = (float) Math.pow(10, random.nextInt(9) - 4);
    for (int i = from; i < from + width; i++) {
      features[i] =
          switch (kind) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> i < from + width / 2 ? size : -size;
            case 3 -> random.nextInt(6) == 0 ? hostile() : size * (float) random.nextGaussian();
            default -> tokens ? random.nextInt(6) : size * (float) random.nextGaussian();
          };
    }
  }

  private float hostile() {
    float[] values = {
      Float.NaN, Float.POSITIVE_INFINITY, -Float.MAX_VALUE, 1e30f, 1e-40f, -0f, Float.MIN_VALUE
    };
    return values[random.nextInt(values.length)];
  }

  private List<VectorGroup> groups(Layout layout) {
    List<String> names = layout.names();
    double bound = Math.pow(10, random.nextInt(7) - 3);
    return new ArrayList<>(
        switch (random.nextInt(4)) {
          case 0 -> VectorGroup.perLayer(names, bound);
          case 1 -> List.of(VectorGroup.automatic("all", names, bound, 0.01));
          case 2 ->
              List.of(
                  VectorGroup.joint(
                      "all",
                      names,
                      names.stream().map(name -> 1 + random.nextDouble()).toList(),
                      1));
          default -> List.of(VectorGroup.flat("all", names, bound));
        });
  }

  private static List<VectorGroup> metricGroups(Layout layout, int gradientGroups) {
    List<VectorGroup> groups = new ArrayList<>();
    for (Layout.Vector metric : layout.vectors(Layout.Role.METRIC)) {
      double bound = metric.name().contains("unclipped") ? 0.5 * Math.sqrt(gradientGroups) : 1;
      groups.add(VectorGroup.flat(metric.name(), List.of(metric.name()), bound));
    }
    return groups;
  }

  private static List<Layout.Vector> metrics(int classes, int gradientGroups) {
    return List.of(
        metric(Metric.Kind.LOSS, 1),
        metric(Metric.Kind.ACCURACY, 1),
        metric(Metric.Kind.CLASSES, classes),
        metric(Metric.Kind.UNCLIPPED, gradientGroups));
  }

  private static Layout.Vector metric(Metric.Kind kind, int dimension) {
    return new Layout.Vector(kind.vector(), dimension, Layout.Role.METRIC);
  }
}
