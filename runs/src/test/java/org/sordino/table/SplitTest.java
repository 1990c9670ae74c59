package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Examples;

class SplitTest {

  @Test
  void of_records_eachIsOnOneSide() {
    int n = 10_000;
    Split split = Split.of(numbers(n), 0.2, 7);

    assertThat(split.training().size() + split.heldOut().size()).isEqualTo(n);
    // Five standard deviations of the binomial distribution: fails for one seed in two million.
    assertThat((double) split.heldOut().size()).isCloseTo(2000, within(200.0));
    check(split.training(), false);
    check(split.heldOut(), true);
  }

  private static void check(Examples part, boolean heldOut) {
    for (int i = 0; i < part.size(); i++) {
      int number = (int) part.targets()[i];
      assertThat(Split.isHeldOut(number, 0.2, 7)).isEqualTo(heldOut);
      assertThat(Tables.row(part, i)).containsExactly(number, -number);
    }
  }

  @Test
  void of_otherSeed_isAnotherSplit() {
    int differ = 0;
    for (int i = 0; i < 10_000; i++) {
      differ += Split.isHeldOut(i, 0.5, 1) != Split.isHeldOut(i, 0.5, 2) ? 1 : 0;
    }

    assertThat(differ).isBetween(4750, 5250);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, -0.1, Double.NaN})
  void of_badShare_isRefused(double share) {
    assertThatThrownBy(() -> Split.of(numbers(10), share, 1))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("held-out share must be above 0 and below 1, got " + share);
  }

  @Test
  void of_tooFew_isRefused() {
    assertThatThrownBy(() -> Split.of(numbers(1), 0.5, 1))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("records on both sides");
  }

  private static Examples numbers(int n) {
    float[] features = new float[2 * n];
    float[] targets = new float[n];
    for (int i = 0; i < n; i++) {
      features[2 * i] = i;
      features[2 * i + 1] = -i;
      targets[i] = i;
    }
    return new Examples(features, 2, targets);
  }
}
