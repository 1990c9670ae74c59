package org.sordino.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @Test
  void read_writtenValue_isEqual() {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("z", Arrays.asList(1L, -2.5, "a \"quoted\" \u00e9\n", true, null));
    value.put("a", Map.of("long", Long.MIN_VALUE));
    assertThat(Json.read(Json.write(value))).isEqualTo(value);
    assertThat(Json.read(Json.writePretty(value))).isEqualTo(value);
    assertThat(Json.readObject(Json.write(value)).keySet()).containsExactly("z", "a");
  }

  @Test
  void read_doubles_keepTheirBits() {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      double x = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(x)) {
        assertThat((Double) Json.read(Json.write(x))).isEqualTo(x);
      }
    }
    assertThat(Json.write(-0.0)).isEqualTo("-0.0");
  }

  @Test
  void write_numbersThatJsonLacks_areStrings() {
    assertThat(Json.write(List.of(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN)))
        .isEqualTo("[\"Infinity\",\"-Infinity\",\"NaN\"]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1,",
        "{\"a\":1,\"a\":2}",
        "1 2",
        "NaN",
        "nul",
        "'a'",
        "1e",
        "{a:1}",
        "99999999999999999999"
      })
  void read_damagedText_isRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.read(text))
        .withMessageContaining("JSON");
  }

  @Test
  void readObject_otherValue_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.readObject("[1]"))
        .withMessage("JSON must be an object {...}, got [1]");
  }

  @Test
  void write_foreignType_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.write(new Object()))
        .withMessageContaining("java.lang.Object");
  }
}
