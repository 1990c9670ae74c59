package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * The property that the guarantee depends on, for any engine: with fixed samples and noise, adding
 * or removing a record changes the sums by no more than the bound in the ledger, group by group.
 * The random bits of sampling are fixed per record index, so the record that is added or removed is
 * the last one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // the rules depend on the engine
abstract class NeighborContract {

  private static final int CASES = 1000;

  /** Creates an engine over these examples. */
  abstract GradientEngine engine(Examples examples);

  /** Creates random examples of the right shape. */
  abstract Examples examples(SplittableRandom random, int size);

  /** A clipping rule, and lambda of the weight decay inside the clip. */
  record Rule(String name, List<VectorGroup> groups, double decay) {

    @Override
    public String toString() {
      return name + (decay > 0 ? " with decay " + decay : "");
    }
  }

  abstract Layout layout();

  Stream<Rule> rules() {
    List<String> names = layout().names();
    List<Rule> rules = new ArrayList<>();
    for (double decay : new double[] {0, 0.3}) {
      rules.add(new Rule("flat", List.of(VectorGroup.flat("all", names, 0.7)), decay));
      rules.add(
          new Rule("automatic", List.of(VectorGroup.automatic("all", names, 0.7, 0.01)), decay));
      rules.add(
          new Rule(
              "separate",
              names.stream()
                  .map(name -> VectorGroup.flat(name, List.of(name), 0.2 + 0.1 * name.length()))
                  .toList(),
              decay));
      List<Double> scales = names.stream().map(name -> 0.1 * name.length()).toList();
      double bound = Math.sqrt(names.size()) / 2 + 0.5;
      rules.add(new Rule("joint", List.of(VectorGroup.joint("all", names, scales, bound)), decay));
    }
    return rules.stream();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void record_changesTheSumsByAtMostItsBound(Rule rule) {
    Mechanism mechanism = Mechanism.of(layout(), rule.groups(), NoiseAllocation.EQUAL, 1);
    SplittableRandom random = new SplittableRandom(rule.name().hashCode());
    RandomKey key = RandomKey.insecure(1);
    double largest = 0;
    for (int c = 0; c < CASES; c++) {
      Examples with = examples(random, 1 + random.nextInt(5));
      double[] theta = random.doubles(layout().dimension(), -3, 3).toArray();
      spoil(random, with, theta, rule.decay());
      PoissonSample sample = PoissonSample.of(key, c, random.nextBoolean() ? 1 : 0.7);
      long[] more = sums(with, mechanism, rule.decay(), sample, theta);
      long[] less = sums(withoutLast(with), mechanism, rule.decay(), sample, theta);
      largest = Math.max(largest, requireWithinBounds(mechanism, rule, more, less));
    }
    // The test is sensitive: some records reach the bound.
    assertThat(largest).isBetween(0.99, 1.0);
  }

  private long[] sums(
      Examples examples, Mechanism mechanism, double decay, PoissonSample sample, double[] theta) {
    long[] sums = new long[layout().dimension()];
    try (GradientEngine engine = engine(examples)) {
      Clipping clipping = mechanism.clipping(100, decay, engine.roundingSlack());
      engine.sum(sample, theta, clipping, sums);
    }
    return sums;
  }

  /** Returns the largest fraction of a bound that was used. */
  private double requireWithinBounds(Mechanism mechanism, Rule rule, long[] more, long[] less) {
    Clipping clipping = mechanism.clipping(100, 0, 0);
    double largest = 0;
    for (VectorGroup group : rule.groups()) {
      double square = 0;
      for (int k = 0; k < group.vectors().size(); k++) {
        int vector = layout().names().indexOf(group.vectors().get(k));
        for (int i = layout().offset(vector); i < layout().offset(vector + 1); i++) {
          double moved = (more[i] - less[i]) * clipping.unit(vector) / group.scales().get(k);
          square += moved * moved;
        }
      }
      // The relative rounding error of the test's sum of at most 100 squares is at most 2e-14.
      assertThat(Math.sqrt(square)).isLessThanOrEqualTo(group.bound() * (1 + 2e-14));
      largest = Math.max(largest, Math.sqrt(square) / group.bound());
    }
    return Math.min(1, largest);
  }

  /** Turns the last record into one that a careless engine would not bound. */
  static void spoil(SplittableRandom random, Examples examples, double[] theta, double l) {
    float[] x = examples.features();
    int from = x.length - examples.width();
    switch (random.nextInt(8)) {
      case 0 -> x[from + random.nextInt(examples.width())] = Float.NaN;
      case 1 -> x[from + random.nextInt(examples.width())] = Float.NEGATIVE_INFINITY;
      case 2 -> x[from + random.nextInt(examples.width())] = 1e30f;
      case 3 -> java.util.Arrays.fill(x, from, x.length, Float.MIN_VALUE);
      case 4 -> java.util.Arrays.fill(x, from, x.length, Float.MAX_VALUE);
      case 5 -> {
        // Gradients that nearly cancel against lambda theta: small multiples of theta.
        for (int j = 0; j < examples.width(); j++) {
          x[from + j] = (float) (theta[j] * (l + 1e-7 * random.nextDouble()));
        }
      }
      default -> {}
    }
  }

  private static Examples withoutLast(Examples examples) {
    int size = examples.size() - 1;
    return new Examples(
        java.util.Arrays.copyOf(examples.features(), size * examples.width()),
        examples.width(),
        java.util.Arrays.copyOf(examples.targets(), size));
  }
}
