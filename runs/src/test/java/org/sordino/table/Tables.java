package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.sordino.training.Examples;

/** Small tables for tests. */
final class Tables {

  /** Two columns, a number x from 0 to 10 and a color, and a label of yes or no. */
  static final Schema SMALL =
      new Schema(
          List.of(
              new NumericColumn("x", 0, 10, NumericColumn.Scale.LINEAR, List.of(), true),
              new CategoryColumn("colour", List.of("red", "green", "blue"), true)),
          Schema.MISSING,
          Label.ofClasses("y", List.of("yes", "no"), "yes"),
          false);

  private Tables() {}

  static CsvSource csv(String text) {
    return csv(text, CsvOptions.DEFAULT);
  }

  static CsvSource csv(String text, CsvOptions options) {
    return bytes(text.getBytes(StandardCharsets.UTF_8), options);
  }

  static CsvSource bytes(byte[] content, CsvOptions options) {
    return CsvSource.of("t.csv", content, options);
  }

  static byte[] gzip(String text) {
    return gzip(text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] gzip(byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  static float[] row(Examples examples, int number) {
    int width = examples.width();
    return Arrays.copyOfRange(examples.features(), number * width, (number + 1) * width);
  }

  /** Asserts that examples have the same bits and the same users. */
  static void assertSame(OwnedExamples actual, OwnedExamples expected) {
    assertThat(actual.users()).isEqualTo(expected.users());
    assertThat(bits(actual.examples().features())).isEqualTo(bits(expected.examples().features()));
    assertThat(bits(actual.examples().targets())).isEqualTo(bits(expected.examples().targets()));
  }

  static int[] bits(float[] numbers) {
    int[] bits = new int[numbers.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToRawIntBits(numbers[i]);
    }
    return bits;
  }
}
