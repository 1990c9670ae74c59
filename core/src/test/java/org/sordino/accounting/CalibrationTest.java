package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class CalibrationTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  static java.util.List<Golden> calibrated() {
    return Golden.rows("C");
  }

  @ParameterizedTest
  @MethodSource("calibrated")
  void noiseMultiplier_golden_isAboveTheValueByLessThan1em9(Golden row) {
    PrivacyBudget target = new PrivacyBudget(row.parameter("eps"), row.parameter("delta"));
    double sigma =
        Calibration.of(TIGHT, target)
            .noiseMultiplier(row.parameter("q"), (long) row.parameter("T"));
    assertThat(sigma).isBetween(row.value(), row.value() + 1e-9);
  }

  @ParameterizedTest
  @CsvSource({"A01", "A02", "A03", "A04"})
  void noiseMultiplier_oneGaussian_isTheAnalyticGaussianMechanism(String id) {
    Golden row = Golden.row(id);
    PrivacyBudget target = new PrivacyBudget(row.parameter("eps"), row.parameter("delta"));
    assertThat(Calibration.of(TIGHT, target).noiseMultiplier(Gaussian::new))
        .isCloseTo(row.value(), within(1e-9 * row.value()));
  }

  /** Values that another library prints for the same problem, to the printed digits. */
  @Test
  void calibration_jaxPrivacyExamples_agree() {
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(1, 1e-6)).noiseMultiplier(0.1, 512))
        .isCloseTo(9.66, within(0.005));
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(2, 1e-6)).steps(0.1, 3)).isEqualTo(155);
  }

  @ParameterizedTest
  @CsvSource({"0.5,1e-5,0.01,1000", "3,1e-6,0.001,50000", "8,1e-5,0.2,100", "30,1e-3,0.5,20"})
  void calibration_roundTrip_meetsTheTarget(double epsilon, double delta, double q, long steps) {
    roundTrip(epsilon, delta, q, steps);
  }

  @Tag("heavy")
  @Test
  void calibration_roundTripByTheLattice_meetsTheTarget() {
    roundTrip(0.1, 1e-8, 1e-4, 100_000);
  }

  private static void roundTrip(double epsilon, double delta, double q, long steps) {
    Calibration calibration = Calibration.of(TIGHT, new PrivacyBudget(epsilon, delta));
    double sigma = calibration.noiseMultiplier(q, steps);
    assertThat(TIGHT.epsilon(new SampledGaussian(q, sigma).times(steps), delta))
        .isBetween(epsilon * (1 - 1e-6), epsilon);
    double rate = calibration.samplingRate(sigma, steps);
    assertThat(rate).isCloseTo(q, within(1e-6 * q));
    assertThat(TIGHT.epsilon(new SampledGaussian(rate, sigma).times(steps), delta))
        .isLessThanOrEqualTo(epsilon);
    long most = calibration.steps(q, sigma * (1 + 1e-9));
    assertThat(most).isEqualTo(steps);
  }

  @Test
  void steps_oneMore_isTooMany() {
    for (Accountant accountant :
        new Accountant[] {
          TIGHT,
          RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE),
          NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE)
        }) {
      SampledGaussian step = new SampledGaussian(0.02, 1.3);
      long most = Calibration.of(accountant, new PrivacyBudget(4, 1e-5)).steps(0.02, 1.3);
      assertThat(accountant.epsilon(step.times(most), 1e-5)).isLessThanOrEqualTo(4);
      assertThat(accountant.epsilon(step.times(most + 1), 1e-5)).isGreaterThan(4);
    }
  }

  @Test
  void steps_evenOneIsTooMany_isZero() {
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(0.1, 1e-9)).steps(1, 1)).isZero();
  }

  @Test
  void steps_almostFree_isTheLargestCount() {
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(1, 1e-3)).steps(1, 1e9))
        .isEqualTo(PrivacyEvent.MAX_COUNT);
  }

  @Test
  void samplingRate_everythingAllowed_isOne() {
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(8, 1e-5)).samplingRate(10, 2)).isEqualTo(1);
  }

  /** RDP provides the starting point, but no rate is small enough for it here. */
  @Test
  void samplingRate_outOfReachOfRdp_isStillFound() {
    PrivacyEvent event = new SampledGaussian(1e-3, 5);
    double epsilon = TIGHT.epsilon(event, 1e-12);
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(epsilon, 1e-12)).samplingRate(5, 1))
        .isCloseTo(1e-3, within(1e-11));
  }

  /**
   * RDP has a feasible rate only where the tight accountant falls back to RDP, far from the largest
   * rate.
   */
  @Tag("heavy")
  @Test
  void samplingRate_barelyInReachOfRdp_isStillTheLargest() {
    PrivacyEvent event = new SampledGaussian(1e-4, 1).times(100_000);
    double epsilon = TIGHT.epsilon(event, 1e-8);
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(epsilon, 1e-8)).samplingRate(1, 100_000))
        .isCloseTo(1e-4, within(1e-9));
  }

  @Test
  void noiseMultiplier_noSteps_isZero() {
    assertThat(Calibration.of(TIGHT, new PrivacyBudget(1, 1e-5)).noiseMultiplier(0.1, 0)).isZero();
  }

  /** With 32 moments, epsilon is at least log(1/delta)/32, however large the noise. */
  @Test
  void noiseMultiplier_outOfReach_throws() {
    Accountant moments = MomentsAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Calibration.of(moments, new PrivacyBudget(0.3, 1e-5)).noiseMultiplier(0.01, 10))
        .withMessageContaining("the moments accountant cannot reach epsilon 0.3 at delta 1.0E-5");
  }

  @ParameterizedTest
  @CsvSource({"0,1e-5", "Infinity,1e-5", "1,0", "1,1"})
  void of_invalidTarget_isRefused(double epsilon, double delta) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Calibration.of(TIGHT, new PrivacyBudget(epsilon, delta)));
  }

  /** An accountant whose epsilon is a given function of the noise multiplier of the event. */
  private static final class FormulaAccountant implements Accountant {
    private final DoubleUnaryOperator formula;
    private int calls;

    FormulaAccountant(DoubleUnaryOperator formula) {
      this.formula = formula;
    }

    @Override
    public String name() {
      return "formula";
    }

    @Override
    public Neighboring neighboring() {
      return Neighboring.ADD_OR_REMOVE_ONE;
    }

    @Override
    public Evidence evidence() {
      return Evidence.BOUND;
    }

    @Override
    public boolean supports(PrivacyEvent event) {
      return event instanceof Gaussian;
    }

    @Override
    public double epsilon(PrivacyEvent event, double delta) {
      calls++;
      return formula.applyAsDouble(((Gaussian) event).noiseMultiplier());
    }

    @Override
    public double delta(PrivacyEvent event, double epsilon) {
      throw new AssertionError("calibration must use epsilon only");
    }

    Calibration to(double epsilon) {
      return Calibration.of(this, new PrivacyBudget(epsilon, 1e-5));
    }

    long steps(double epsilon) {
      return to(epsilon).steps((long n) -> new Gaussian(n));
    }

    double noise(double epsilon) {
      return to(epsilon).noiseMultiplier(Gaussian::new);
    }

    double rate(double epsilon) {
      return to(epsilon).samplingRate(Gaussian::new);
    }
  }

  /** A cost of exactly the target is accepted; one ulp more is not. */
  @Test
  void steps_exactlyTheTarget_isAccepted() {
    for (long most : new long[] {1, 2, 16, 17, 1000, 4096}) {
      double target = most / 2.0;
      assertThat(new FormulaAccountant(n -> n / 2).steps(target)).isEqualTo(most);
      assertThat(new FormulaAccountant(n -> n == most ? Math.nextUp(target) : n / 2).steps(target))
          .isEqualTo(most - 1);
      assertThat(new FormulaAccountant(n -> n <= most ? target * 0.999 : 2 * target).steps(target))
          .as("a jump")
          .isEqualTo(most);
      assertThat(new FormulaAccountant(n -> n <= most ? 0 : Double.POSITIVE_INFINITY).steps(target))
          .as("from nothing to infinity")
          .isEqualTo(most);
    }
    assertThat(new FormulaAccountant(n -> 1 + n).steps(1)).isZero();
    assertThat(new FormulaAccountant(n -> 1e-18 * n).steps(1)).isEqualTo(PrivacyEvent.MAX_COUNT);
  }

  /** Most accountants are close to a power of the steps; such a function needs few calls. */
  @Test
  void steps_powerLaws_takeFewCalls() {
    FormulaAccountant root = new FormulaAccountant(n -> 1.5e-3 * Math.sqrt(n));
    assertThat(root.steps(1)).isEqualTo(444_444);
    assertThat(root.calls).isLessThanOrEqualTo(26);
    FormulaAccountant linear = new FormulaAccountant(n -> 3e-9 * n);
    assertThat(linear.steps(1)).isEqualTo(333_333_333);
    assertThat(linear.calls).isLessThanOrEqualTo(36);
    FormulaAccountant jump = new FormulaAccountant(n -> n < 700_000 ? 1e-9 : 1e9);
    // A jump takes three rounds for each bisection.
    assertThat(jump.steps(1)).isEqualTo(699_999);
    assertThat(jump.calls).isLessThanOrEqualTo(80);
  }

  /** Noise is rounded up by at most 1e-10. */
  @Test
  void noiseMultiplier_anyScale_isJustEnough() {
    for (double least : new double[] {1.7e-3, 0.3, 1.01, 8, 1e5, 7e8}) {
      FormulaAccountant accountant = new FormulaAccountant(sigma -> least / sigma);
      double sigma = accountant.noise(1);
      assertThat(sigma).isBetween(least, least * (1 + 1e-10));
      assertThat(accountant.calls).as("%s", least).isLessThanOrEqualTo(26);
      double off = least / sigma; // verified to meet the target
      assertThat(off).isLessThanOrEqualTo(1);
      FormulaAccountant jump = new FormulaAccountant(s -> s < least ? 1 + 1e-12 : 1 - 1e-9);
      assertThat(jump.noise(1)).isBetween(least, least * (1 + 1e-10));
    }
  }

  @Test
  void noiseMultiplier_limits_areRespected() {
    assertThat(new FormulaAccountant(sigma -> 3).noise(3)).as("no noise needed").isZero();
    assertThat(new FormulaAccountant(sigma -> sigma == 0 ? 3.1 : 2).noise(3))
        .as("smallest noise tried")
        .isBetween(9e-4, 1.1e-3);
    assertThat(new FormulaAccountant(sigma -> sigma < 0.9e9 ? 2 : 1).noise(1))
        .isBetween(0.9e9, 1.1e9);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FormulaAccountant(sigma -> sigma < 1.1e9 ? 2 : 1).noise(1))
        .withMessageContaining("formula accountant cannot reach epsilon 1.0")
        .withMessageContaining("with any noise multiplier");
  }

  /** The rate is rounded down by at most 1e-10. */
  @Test
  void samplingRate_anyScale_isJustSmallEnough() {
    for (double most : new double[] {1.1e-15, 1e-6, 0.01, 0.9}) {
      FormulaAccountant accountant = new FormulaAccountant(q -> q / most);
      assertThat(accountant.rate(1)).isBetween(most * (1 - 1e-10), most);
      assertThat(accountant.calls).as("%s", most).isLessThanOrEqualTo(50);
    }
    assertThat(new FormulaAccountant(q -> 5 * q).rate(5)).as("full sampling").isEqualTo(1);
    assertThat(new FormulaAccountant(q -> 5 * q).rate(Math.nextDown(5.0)))
        .isBetween(1 - 1e-10, 1.0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FormulaAccountant(q -> q / 0.9e-15).rate(1))
        .withMessageContaining("formula accountant cannot reach epsilon 1.0")
        .withMessageContaining("with any sampling rate");
  }
}
