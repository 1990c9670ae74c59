package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.report.Decimals;

class OptionValuesTest {

  @ParameterizedTest
  @CsvSource({
    "0.946866800764, 5, 0.94687, 0.94686",
    "9.33906524, 5, 9.3391, 9.3390",
    "16.8444285, 5, 16.845, 16.844",
    "0.00123456, 3, 0.00124, 0.00123",
    "12345.678, 3, 12400, 12300",
    "0.000012345, 3, 1.24e-5, 1.23e-5",
    "1234567890, 3, 1.24e9, 1.23e9",
    "0.99999999, 3, 1.00, 0.999",
    "0, 3, 0, 0",
    "Infinity, 3, infinite, infinite"
  })
  void upAndDown_roundToTheirSide(double value, int digits, String up, String down) {
    assertThat(Decimals.up(value, digits)).isEqualTo(up);
    assertThat(Decimals.down(value, digits)).isEqualTo(down);
  }

  @ParameterizedTest
  @CsvSource({"1e-5, 1e-5", "0.01, 0.01", "4, 4", "2.5e-7, 2.5e-7", "1e6, 1000000", "0.1, 0.1"})
  void plain_isShortAndReadsBack(double value, String text) {
    assertThat(Decimals.plain(value)).isEqualTo(text);
    assertThat(Double.parseDouble(Decimals.plain(value))).isEqualTo(value);
  }

  @Test
  void rate_fraction_isTheNearestDoubleAndKeepsEpochsExact() {
    SamplingRate rate = SamplingRate.parse("--sampling-rate", "256/60000");

    assertThat(rate.value()).isEqualTo(256.0 / 60000);
    assertThat(rate.steps(new BigDecimal("50"))).isEqualByComparingTo("11719");
    // 0.3 / 0.1 is 2.999... in doubles, and 0.7 / 0.1 is 6.999...
    assertThat(SamplingRate.parse("q", "0.1").steps(new BigDecimal("0.3")))
        .isEqualByComparingTo("3");
    assertThat(SamplingRate.parse("q", "0.1").steps(new BigDecimal("0.7")))
        .isEqualByComparingTo("7");
  }
}
