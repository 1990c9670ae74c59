package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Tests that no record is read before its step is in the ledger, and that no sum is released
 * without noise.
 */
class PrivateStepTest {

  private static final Layout LAYOUT =
      Layout.of(new Layout.Vector("first", 2), new Layout.Vector("second", 3));
  private static final PrivacyPlan PLAN =
      new PrivacyPlan(100, 10, 5, 1, Neighboring.ADD_OR_REMOVE_ONE);
  private static final RandomKey KEY = RandomKey.insecure(7);

  /** An engine whose sum is 1 in every coordinate, and which records the steps it computes. */
  private static final class Ones implements GradientEngine {

    private final List<Long> steps = new ArrayList<>();
    private boolean failing;

    @Override
    public Layout layout() {
      return LAYOUT;
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
      steps.add(sample.step());
      for (int i = 0; i < sums.length; i++) {
        sums[i] += (long) (1 / clipping.unit(i < 2 ? 0 : 1));
      }
      if (failing) {
        throw new ArithmeticException("overflow");
      }
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return new byte[0];
    }
  }

  private final Ones engine = new Ones();

  private static Mechanism mechanism(double z) {
    return Mechanism.of(
        LAYOUT,
        List.of(
            VectorGroup.flat("first", List.of("first"), 1),
            VectorGroup.flat("second", List.of("second"), 2)),
        NoiseAllocation.EQUAL,
        z);
  }

  private static Ledger ledger() {
    return Ledger.inMemory(Header.of("test", PLAN.neighboring(), "example", 100, "test"));
  }

  @Test
  void run_stepNotReserved_isRefusedBeforeRecordsAreRead() {
    try (Ledger ledger = ledger()) {
      PrivateStep step = new PrivateStep(PLAN, mechanism(1), 0, engine, KEY, ledger);
      ledger.reserve(step.event(), 0, 2);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> step.run(2, new double[5], average -> {}))
          .withMessageContaining("step must be reserved");
      assertThat(engine.steps).isEmpty();
      step.run(1, new double[5], average -> {});
      assertThat(engine.steps).containsExactly(1L);
    }
  }

  @Test
  void run_afterTheLedgerIsClosed_readsNoRecords() {
    Ledger ledger = ledger();
    PrivateStep step = new PrivateStep(PLAN, mechanism(1), 0, engine, KEY, ledger);
    ledger.reserve(step.event(), 0, 2);
    ledger.close();
    assertThatIllegalStateException().isThrownBy(() -> step.run(0, new double[5], average -> {}));
    assertThat(engine.steps).isEmpty();
  }

  @Test
  void run_boundsAndDeviations_areInTheLedger() {
    try (Ledger ledger = ledger()) {
      PrivateStep step = new PrivateStep(PLAN, mechanism(1), 0, engine, KEY, ledger);
      ledger.reserve(step.event(), 0, 3);
      step.run(0, new double[5], average -> {});
      step.run(1, new double[5], average -> {});
      step.scale(new double[] {2, 0.5});
      step.run(2, new double[5], average -> {});
      List<Entry.RealizedEntry> noted =
          ledger.contents().entries().stream()
              .filter(Entry.RealizedEntry.class::isInstance)
              .map(Entry.RealizedEntry.class::cast)
              .toList();
      assertThat(noted).extracting(Entry.RealizedEntry::step).containsExactly(0L, 2L);
      assertThat(noted.get(1).groups().get(0).bound()).isEqualTo(2);
      assertThat(noted.get(1).groups().get(1).bound()).isEqualTo(1);
    }
  }

  @Test
  void run_withoutNoise_isTheSumOverTheExpectedBatch() {
    try (Ledger ledger = ledger()) {
      PrivateStep step = new PrivateStep(PLAN, mechanism(0), 0, engine, KEY, ledger);
      ledger.reserve(step.event(), 0, 1);
      List<double[]> averages = new ArrayList<>();
      step.run(0, new double[5], average -> averages.add(average.clone()));
      assertThat(averages).hasSize(1);
      assertThat(averages.get(0)).containsOnly(0.1);
    }
  }

  @Test
  void mechanismForOtherVectors_isRefused() {
    Mechanism other =
        Mechanism.of(
            Layout.of(new Layout.Vector("v", 3)),
            List.of(VectorGroup.flat("g", List.of("v"), 1)),
            NoiseAllocation.EQUAL,
            1);
    try (Ledger ledger = ledger()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new PrivateStep(PLAN, other, 0, engine, KEY, ledger))
          .withMessageContaining("vectors of a record must be those of the plan");
    }
  }

  private static PoissonSample sample(long step) {
    return PoissonSample.of(KEY.derive("sampling"), step, 0.1);
  }

  private static GaussianNoise noise() {
    return GaussianNoise.of(KEY.derive("noise"));
  }

  private NoisySum sum() {
    return new NoisySum(mechanism(1), 100, 0, engine);
  }

  @Test
  void sum_withoutNoise_isNotReleased() {
    NoisySum sum = sum();
    double[] average = new double[5];
    assertThatIllegalStateException().isThrownBy(() -> sum.divideBy(10, average));
    sum.clipAndAdd(engine, sample(0), new double[5]);
    assertThatIllegalStateException()
        .isThrownBy(() -> sum.divideBy(10, average))
        .withMessageContaining(
            "noise must be added before a sum is released, got a sum in state SUMMED");
    sum.addNoise(noise(), 0);
    sum.divideBy(10, average);
    sum.clipAndAdd(engine, sample(1), new double[5]);
    assertThatIllegalStateException().isThrownBy(() -> sum.divideBy(10, new double[5]));
    sum.addNoise(noise(), 1);
    sum.use(mechanism(2));
    assertThatIllegalStateException().isThrownBy(() -> sum.divideBy(10, new double[5]));
    assertThat(average).doesNotContain(0.0);
  }

  @Test
  void noise_addedTwiceOrWithoutASum_isRefused() {
    NoisySum sum = sum();
    assertThatIllegalStateException().isThrownBy(() -> sum.addNoise(noise(), 0));
    sum.clipAndAdd(engine, sample(0), new double[5]);
    sum.addNoise(noise(), 0);
    assertThatIllegalStateException()
        .isThrownBy(() -> sum.addNoise(noise(), 0))
        .withMessageContaining("got a sum in state NOISED");
  }

  /** Two steps with the same noise would reveal the difference of their sums. */
  @Test
  void noise_ofAnotherStep_isRefused() {
    NoisySum sum = sum();
    sum.clipAndAdd(engine, sample(3), new double[5]);
    assertThatIllegalStateException()
        .isThrownBy(() -> sum.addNoise(noise(), 2))
        .withMessageContaining("the sum of step 3 requires noise of the same step, got step 2");
    assertThatIllegalStateException().isThrownBy(() -> sum.divideBy(10, new double[5]));
  }

  @Test
  void sum_whoseEngineFailed_isNotReleased() {
    NoisySum sum = sum();
    sum.clipAndAdd(engine, sample(0), new double[5]);
    sum.addNoise(noise(), 0);
    engine.failing = true;
    assertThatThrownBy(() -> sum.clipAndAdd(engine, sample(1), new double[5]))
        .isInstanceOf(ArithmeticException.class);
    assertThatIllegalStateException().isThrownBy(() -> sum.divideBy(10, new double[5]));
    assertThatIllegalStateException().isThrownBy(() -> sum.addNoise(noise(), 1));
  }
}
