package org.sordino.accounting;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;

/**
 * Measures the time to compute one epsilon, warm and on one core, for the golden cases that the
 * contour method certifies: both directions with their certificates and the check against RDP. The
 * lattice method, the independent second method, is measured for comparison. This class is in this
 * package because the lattice is not public.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class AccountingBenchmark {

  /** Sampling rate, noise multiplier, steps, delta. */
  @Param({
    "0.01 4 10000 1e-5",
    "0.004266666666666667 1.3 11719 1e-5",
    "0.001 0.8 50000 1e-5",
    "0.04 1.5 2500 1e-5",
    "0.01 4 100 1e-5",
    "0.01 4 40000 1e-5",
    "0.01 4 10000 1e-10",
    "0.04 1.5 2500 1e-8",
    "0.004266666666666667 1.1 14063 1e-5",
    "0.01 1 1000 1e-5",
    "0.0001 1 1000000 1e-5"
  })
  public String run = "";

  private final TightAccountant tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
  private PrivacyEvent event = new PrivacyEvent.Composition(List.of());
  private List<Step> steps = List.of();
  private double samplingRate;
  private long count;
  private double delta;
  private double epsilon;

  /** Parses the run. */
  @Setup
  public void setUp() {
    String[] fields = run.split(" ", 4);
    samplingRate = Double.parseDouble(fields[0]);
    count = Long.parseLong(fields[2]);
    delta = Double.parseDouble(fields[3]);
    event =
        new PrivacyEvent.SampledGaussian(samplingRate, Double.parseDouble(fields[1])).times(count);
    steps = Step.of(event);
    epsilon = tight.epsilon(event, delta);
  }

  /** Computes one certified epsilon. */
  @Benchmark
  public Bracket epsilon() {
    return tight.epsilonBracket(event, delta);
  }

  /** Computes the same epsilon by the lattice method alone. */
  @Benchmark
  public Bracket epsilonByLattice() {
    Bracket remove = byLattice(Direction.REMOVE);
    return remove.max(byLattice(Direction.ADD));
  }

  private Bracket byLattice(Direction direction) {
    return Inversion.epsilon(Lattice.forDelta(steps, direction, delta), delta, epsilon);
  }

  /**
   * Computes the noise multiplier for the epsilon of this run, verified with the certified upper
   * end.
   */
  @Benchmark
  public double calibration() {
    return Calibration.of(tight, new PrivacyBudget(epsilon, delta))
        .noiseMultiplier(samplingRate, count);
  }
}
