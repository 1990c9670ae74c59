package org.sordino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.Repeated;
import org.sordino.PrivacyEvent.SampledGaussian;

class PrivacyEventTest {

  static Stream<PrivacyEvent> everyKind() {
    return Stream.of(
        new Gaussian(1.5),
        new Gaussian(0),
        new Gaussian(Double.POSITIVE_INFINITY),
        new Gaussian(Double.MIN_VALUE),
        new Gaussian(Double.MAX_VALUE),
        new Gaussian(1e22),
        new SampledGaussian(256.0 / 60000, 1.3),
        new SampledGaussian(0, Double.POSITIVE_INFINITY),
        new SampledGaussian(Math.nextDown(1.0), 1 / 3.0),
        new SampledGaussian(Double.MIN_VALUE, Math.nextUp(1.0)),
        new Repeated(new Gaussian(2), 0),
        new Repeated(new SampledGaussian(0.1, 2), PrivacyEvent.MAX_COUNT),
        new Composition(List.of()),
        new Composition(
            List.of(new Gaussian(1), new Composition(List.of(new Gaussian(3).times(2))).times(4))));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void fromJson_resultOfToJson_isEqual(PrivacyEvent event) {
    assertThat(PrivacyEvent.fromJson(event.toJson())).isEqualTo(event);
  }

  @Test
  void toJson_everyKind_isTheDocumentedForm() {
    PrivacyEvent event =
        new Composition(
            List.of(new SampledGaussian(0.01, 4).times(3), new Gaussian(Double.POSITIVE_INFINITY)));
    assertThat(event.toJson())
        .isEqualTo(
            "{\"kind\":\"composition\",\"events\":[{\"kind\":\"repeated\",\"event\":"
                + "{\"kind\":\"sampled-gaussian\",\"samplingRate\":0.01,\"noiseMultiplier\":4.0},"
                + "\"count\":3},{\"kind\":\"gaussian\",\"noiseMultiplier\":\"Infinity\"}]}");
  }

  @Test
  void fromJson_unknownKind_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrivacyEvent.fromJson("{\"kind\":\"laplace\",\"scale\":1}"))
        .withMessageContaining("\"laplace\"");
  }

  @Test
  void fromJson_unknownKindInsideALedger_isRefusedByName() {
    String ledger =
        "{\"kind\":\"composition\",\"events\":[{\"kind\":\"gaussian\",\"noiseMultiplier\":1},"
            + "{\"kind\":\"tree\"}]}";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrivacyEvent.fromJson(ledger))
        .withMessageContaining("\"tree\"");
  }

  @Test
  void fromJson_unknownField_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                PrivacyEvent.fromJson(
                    "{\"kind\":\"gaussian\",\"noiseMultiplier\":1,\"sensitivity\":2}"))
        .withMessageContaining("\"gaussian\"")
        .withMessageContaining("\"sensitivity\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "7",
        "{}",
        "{\"kind\":7}",
        "{\"kind\":\"gaussian\"}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":\"1\"}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":\"NaN\"}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":-1}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":1e400}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":1,\"noiseMultiplier\":2}",
        "{\"kind\":\"gaussian\",\"noiseMultiplier\":1} {}",
        "{\"kind\":\"sampled-gaussian\",\"samplingRate\":1.5,\"noiseMultiplier\":1}",
        "{\"kind\":\"repeated\",\"event\":{\"kind\":\"gaussian\",\"noiseMultiplier\":1},\"count\":1.5}",
        "{\"kind\":\"repeated\",\"event\":null,\"count\":1}",
        "{\"kind\":\"composition\",\"events\":{}}",
        "{\"kind\":\"composition\",\"events\":[1]}"
      })
  void fromJson_notAnEvent_isRefused(String json) {
    assertThatIllegalArgumentException().isThrownBy(() -> PrivacyEvent.fromJson(json));
  }

  @Test
  void fromJson_nestedTooDeep_isRefused() {
    String open = "{\"kind\":\"composition\",\"events\":[";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrivacyEvent.fromJson(open.repeat(200) + "]}".repeat(200)))
        .withMessageContaining("deep");
  }

  @Test
  void joint_severalSums_isOneGaussian() {
    // golden-epsilon.csv Z01 to Z03: McMahan and Andrew 2018
    assertThat(joint(new double[] {1, 2}, new double[] {1.2, 3}))
        .isCloseTo(0.93704257133163639314, within(1e-15));
    assertThat(joint(new double[] {1, 1, 1, 1}, new double[] {1, 1, 1, 1})).isEqualTo(0.5);
    assertThat(joint(new double[] {0.5, 3, 1}, new double[] {2, 10, 4}))
        .isCloseTo(2.1566554640687683145, within(1e-14));
  }

  @Test
  void joint_degenerateSums_areFreeOrWithoutPrivacy() {
    assertThat(joint(new double[] {0}, new double[] {0})).isInfinite();
    assertThat(joint(new double[] {1, 1}, new double[] {0, 5})).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Gaussian.joint(new double[0], new double[0]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Gaussian.joint(new double[] {Double.NaN}, new double[] {1}));
  }

  private static double joint(double[] bounds, double[] deviations) {
    return Gaussian.joint(bounds, deviations).noiseMultiplier();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NEGATIVE_INFINITY, Double.NaN})
  void gaussian_noiseNegativeOrNaN_isRefused(double noise) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Gaussian(noise))
        .withMessage("noiseMultiplier must be at least 0, got " + noise);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void sampledGaussian_rateOutsideUnitInterval_isRefused(double rate) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SampledGaussian(rate, 1))
        .withMessage("samplingRate must be in [0, 1], got " + rate);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, PrivacyEvent.MAX_COUNT + 1, Long.MIN_VALUE})
  void times_countOutOfRange_isRefused(long count) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Gaussian(1).times(count))
        .withMessageContaining("got " + count);
  }
}
