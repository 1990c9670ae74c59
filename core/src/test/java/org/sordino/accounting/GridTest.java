package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.SampledGaussian;

/** The whole grid of runs that the tight accountant is specified for, computed once. */
@Tag("slow")
class GridTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  /** Each in the order in which epsilon rises. */
  private static final double[] RATES = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 1};

  private static final double[] NOISES = {100, 30, 10, 5, 2, 1, 0.8, 0.5, 0.3};
  private static final long[] STEPS = {1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000};
  private static final double[] DELTAS = {1e-2, 1e-5, 1e-8, 1e-12};

  /** What changes along an axis, and by how many places of the grid. */
  private enum Axis {
    RATE(9 * 8 * 4, RATES.length),
    NOISE(8 * 4, NOISES.length),
    STEPS(4, GridTest.STEPS.length),
    DELTA(1, DELTAS.length);

    private final int stride;
    private final int length;

    Axis(int stride, int length) {
      this.stride = stride;
      this.length = length;
    }
  }

  /** A place of the grid. */
  private record Run(double q, double sigma, long steps, double delta) {
    static Run at(int i) {
      return new Run(RATES[i / 288], NOISES[i / 32 % 9], STEPS[i / 4 % 8], DELTAS[i % 4]);
    }

    Run withRate(double rate) {
      return new Run(rate, sigma, steps, delta);
    }

    Run withNoise(double noise) {
      return new Run(q, noise, steps, delta);
    }

    Run withSteps(long count) {
      return new Run(q, sigma, count, delta);
    }

    PrivacyEvent event() {
      return new SampledGaussian(q, sigma).times(steps);
    }
  }

  /** What the accountants say of it, and how long one waits for it. */
  private record Answer(Run run, Bracket epsilon, double rdp, double seconds) {
    static Answer of(Run run) {
      long start = System.nanoTime();
      Bracket epsilon = TIGHT.epsilonBracket(run.event(), run.delta);
      long end = System.nanoTime();
      double rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(run.event(), run.delta);
      return new Answer(run, epsilon, rdp, (end - start) / 1e9);
    }
  }

  private static List<Answer> grid = List.of();

  @BeforeAll
  static void compute() {
    int size = RATES.length * NOISES.length * STEPS.length * DELTAS.length;
    Answer[] answers = new Answer[size];
    // Neighbors are about as slow as each other: far apart, they keep all processors busy.
    IntStream.range(0, size)
        .map(i -> (int) (i * 1009L % size))
        .parallel()
        .forEach(i -> answers[i] = Answer.of(Run.at(i)));
    grid = List.of(answers);
  }

  @Test
  void epsilonBracket_everywhere_isNarrow() {
    assertThat(grid).allMatch(a -> isNarrow(a.epsilon));
  }

  private static boolean isNarrow(Bracket bracket) {
    return bracket.width() <= Math.max(1e-6, 1e-2 * bracket.lower());
  }

  @Test
  void epsilonBracket_everywhere_isFiniteAndNotNegative() {
    assertThat(grid)
        .allSatisfy(
            a -> {
              assertThat(a.epsilon.lower()).isNotNegative();
              assertThat(a.epsilon.upper()).isFinite().isGreaterThanOrEqualTo(a.epsilon.lower());
            });
  }

  @Test
  void epsilonBracket_everywhere_isNotAboveRdp() {
    assertThat(grid).allSatisfy(a -> assertThat(a.epsilon.lower()).isLessThanOrEqualTo(a.rdp));
  }

  /**
   * Measured in transforms of the largest lattice, one after the other on the same machine: an
   * answer needs two for each direction, and about as much around them. On two quiet cores 12 are
   * one to two seconds, and the slowest answer takes less than one.
   */
  @Test
  void epsilonBracket_everywhere_takesNoMoreThanTwelveTransforms() {
    List<Answer> slowest =
        grid.stream().sorted(Comparator.comparingDouble(a -> -a.seconds)).limit(20).toList();
    assertThat(slowest).noneMatch(a -> transforms(a.run) > 12);
  }

  /** The least of three: other work may share the processors. */
  private static double transforms(Run run) {
    return Stream.generate(() -> Answer.of(run).seconds / transform())
        .limit(3)
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  private static double transform() {
    int size = 1 << 22;
    double[] re = new double[size];
    double[] im = new double[size];
    re[1] = 1;
    Fft fft = Fft.of(size);
    long start = System.nanoTime();
    fft.transform(re, im);
    return (System.nanoTime() - start) / 1e9;
  }

  /** No upper end is below the lower end of any run that costs no more, along every line. */
  @ParameterizedTest
  @EnumSource(Axis.class)
  void epsilonBracket_alongEachAxis_doesNotFall(Axis axis) {
    List<String> falls = new ArrayList<>();
    int lines = 0;
    for (int start = 0; start < grid.size(); start++) {
      if (start / axis.stride % axis.length != 0) {
        continue; // not the begin of a line
      }
      lines++;
      Answer highest = grid.get(start);
      for (int i = 1; i < axis.length; i++) {
        Answer next = grid.get(start + i * axis.stride);
        if (!(next.epsilon.upper() >= highest.epsilon.lower())) {
          falls.add(next + " is below " + highest);
        }
        highest = next.epsilon.lower() > highest.epsilon.lower() ? next : highest;
      }
    }
    assertThat(falls).isEmpty();
    assertThat(lines * axis.length).isEqualTo(grid.size());
  }

  /** What is solved for. */
  private enum Unknown {
    NOISE(1, 10) {
      @Override
      Run solve(Calibration calibration, Run run) {
        return run.withNoise(calibration.noiseMultiplier(run.q, run.steps));
      }

      @Override
      Run dearer(Run run) {
        return run.withNoise(0.999 * run.sigma);
      }
    },
    RATE(1, 20) {
      @Override
      Run solve(Calibration calibration, Run run) {
        return run.withRate(calibration.samplingRate(run.sigma, run.steps));
      }

      @Override
      Run dearer(Run run) {
        return run.withRate(Math.min(1, 1.001 * run.q));
      }
    },
    STEPS(6, 60) {
      @Override
      Run solve(Calibration calibration, Run run) {
        return run.withSteps(calibration.steps(run.q, run.sigma));
      }

      @Override
      Run dearer(Run run) {
        return run.withSteps(run.steps + 1);
      }
    };

    private final int quickStride;
    private final int slowStride;

    Unknown(int quickStride, int slowStride) {
      this.quickStride = quickStride;
      this.slowStride = slowStride;
    }

    abstract Run solve(Calibration calibration, Run run);

    /** The same with a little less noise or more of the others. */
    abstract Run dearer(Run run);
  }

  /**
   * The target is what the grid says of a run with noise 1 or 10, for every rate, number of steps
   * and delta where that is not 0: the answer meets it, comes as near to it as its bracket is wide,
   * and a little less noise (a higher rate, one more step) would not meet it. Noise and rate are
   * looked for at all of those that the contour or a closed form answers, and, as the lattice takes
   * seconds for each, at every 10th and 20th of the rest; steps, the slowest, at every 6th and
   * 60th.
   */
  @ParameterizedTest
  @EnumSource(Unknown.class)
  void calibration_toAnEpsilonOfTheGrid_comesBackToIt(Unknown unknown) {
    List<Answer> targets =
        grid.stream()
            .filter(a -> a.epsilon.upper() > 0 && (a.run.sigma == 1 || a.run.sigma == 10))
            .toList();
    List<Answer> quick = new ArrayList<>();
    List<Answer> slow = new ArrayList<>();
    targets.forEach(a -> (a.epsilon.method() == Bracket.Method.LATTICE ? slow : quick).add(a));
    List<Answer> asked = new ArrayList<>(every(quick, unknown.quickStride));
    asked.addAll(every(slow, unknown.slowStride));
    Collections.shuffle(asked, new Random(1)); // slow ones spread over all processors

    List<String> failures =
        asked.parallelStream().map(a -> failures(a, unknown)).flatMap(List::stream).toList();

    assertThat(failures).isEmpty();
  }

  private static List<Answer> every(List<Answer> all, int stride) {
    return IntStream.range(0, all.size()).filter(i -> i % stride == 0).mapToObj(all::get).toList();
  }

  private static List<String> failures(Answer wanted, Unknown unknown) {
    double target = wanted.epsilon.upper();
    Calibration calibration = Calibration.of(TIGHT, new PrivacyBudget(target, wanted.run.delta));
    Run found = unknown.solve(calibration, wanted.run);
    Answer met = Answer.of(found);
    Run dearer = unknown.dearer(found);
    Answer missed = dearer.equals(found) ? met : Answer.of(dearer);
    List<String> failures = new ArrayList<>();
    if (!(met.epsilon.upper() <= target)) {
      failures.add(met + " does not meet " + wanted);
    }
    if (!isNarrow(met.epsilon)) {
      failures.add(met + " is where the accountant knows little, for " + wanted);
    }
    if (!(met.epsilon.upper() >= target * (1 - 1e-9) - met.epsilon.width())) {
      failures.add(met + " is further from " + wanted + " than it need be");
    }
    if (!(missed.epsilon.upper() > target - missed.epsilon.width() || dearer.equals(found))) {
      failures.add(missed + " would do, too, for " + wanted);
    }
    return failures;
  }
}
