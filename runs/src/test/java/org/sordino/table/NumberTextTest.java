package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0",
        "1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "0.1",
        "123456789012345",
        "1234567890123456",
        "0.000000000000001",
        "00012.500",
        "1e5",
        "1E-5",
        "-1.5e+300",
        "4.9e-324",
        "1e-400",
        "9007199254740993",
        "0.30000000000000004",
        "179769313486231570000000000000",
        "1.e3"
      })
  void parse_number_isWhatJavaReads(String text) {
    assertThat(parse(text)).isEqualTo(Double.parseDouble(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "+",
        ".",
        "-.",
        "e5",
        "1e",
        "1e+",
        "1d",
        "1f",
        "0x10",
        "NaN",
        "Infinity",
        "1e999",
        "1,5",
        "1 2",
        "--1",
        "1.2.3",
        "\u0661",
        "abc",
        "1_000"
      })
  void parse_other_isNaN(String text) {
    assertThat(parse(text)).isNaN();
  }

  @Test
  void parse_randomDecimals_isWhatJavaReads() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 100_000; i++) {
      double value = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-8, 9));
      String text =
          i % 4 == 0
              ? Double.toString(value)
              : String.format(Locale.ROOT, "%." + random.nextInt(0, 13) + "f", value);
      assertThat(parse(text)).as(text).isEqualTo(Double.parseDouble(text));
    }
  }

  @Test
  void parse_partOfABuffer_readsNoFurther() {
    assertThat(NumberText.parse("12345".toCharArray(), 1, 3)).isEqualTo(234);
  }

  private static double parse(String text) {
    return NumberText.parse(text.toCharArray(), 0, text.length());
  }
}
