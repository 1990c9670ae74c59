package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.cli.Console.Outcome;

class CalibrateCommandTest {

  private static final String TARGET = "calibrate --epsilon 1 --delta 1e-5 --json ";

  @ParameterizedTest
  @ValueSource(strings = {"tight", "rdp", "moments", "strong", "naive", "naive-formula"})
  void calibrate_noise_meetsTheTargetFromBelow(String by) {
    Outcome outcome = Console.line(TARGET + "--sampling-rate 0.01 --steps 10000 --by " + by);

    assertThat(outcome.code()).isZero();
    assertThat(outcome.json()).containsEntry("solvedFor", "noiseMultiplier");
    assertThat(outcome.number("noiseMultiplier")).isGreaterThan(3);
    assertThat(outcome.number("epsilon")).isLessThanOrEqualTo(1).isCloseTo(1, within(1e-4));
    assertThat(outcome.json().get("evidence"))
        .isEqualTo(by.equals("naive-formula") ? "not a bound" : "upper bound");
  }

  @Test
  void calibrate_naiveFormula_isTheClosedFormula() {
    Outcome outcome =
        Console.line(TARGET + "--sampling-rate 0.01 --steps 10000 --by naive-formula");
    double qT = 100;

    assertThat(outcome.number("noiseMultiplier"))
        .isCloseTo(qT * Math.sqrt(2 * Math.log(1.25 * qT / 1e-5)), within(1e-6));
  }

  @Test
  void calibrate_rate_withPopulation_givesABatchThatHolds() {
    Outcome outcome =
        Console.line(TARGET + "--noise-multiplier 4 --steps 10000 --population 60000");

    double rate = outcome.number("samplingRate");
    assertThat(rate).isBetween(0.0100, 0.0110);
    assertThat(outcome.json()).containsEntry("batch", (long) (rate * 60000));
  }

  @Test
  void calibrate_steps_isTheLastNumberThatFits() {
    Outcome outcome = Console.line(TARGET + "--noise-multiplier 4 --sampling-rate 0.01");
    long steps = (Long) outcome.json().get("steps");

    assertThat(epsilonAfter(steps)).isLessThanOrEqualTo(1);
    assertThat(epsilonAfter(steps + 1)).isGreaterThan(1);
  }

  private static double epsilonAfter(long steps) {
    String line =
        "account --sampling-rate 0.01 --noise-multiplier 4 --delta 1e-5 --json --steps " + steps;
    return (Double) ((Map<?, ?>) Console.line(line).json().get("tight")).get("upper");
  }

  @Test
  void calibrate_text_roundsTheNoiseUp() {
    String line = "calibrate --epsilon 1 --delta 1e-5 --population 60000 --batch 600 --steps 1e4";
    double exact = Console.line(line + " --json").number("noiseMultiplier");
    Outcome text = Console.line(line);

    String shown = text.out().lines().findFirst().orElseThrow().replace("noise multiplier ", "");
    assertThat(Double.parseDouble(shown))
        .isGreaterThanOrEqualTo(exact)
        .isCloseTo(exact, within(1e-4));
    assertThat(text.out()).contains("expected batch size 600 of 60000").contains("upper bound");
  }
}
