package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableErrorsTest {

  private static final String HEADER = "x,colour,y\n";

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("", "t.csv: the table must have at least one record, got an empty file"),
        Arguments.of("\n\n", "t.csv: the table must have at least one record, got an empty file"),
        Arguments.of(HEADER, "t.csv: the table must have at least one record, got only a header"),
        Arguments.of(HEADER + "1,red\n", "t.csv line 2: a row must have 3 fields, got 2"),
        Arguments.of(HEADER + "1,red,yes,\n", "t.csv line 2: a row must have 3 fields, got more"),
        Arguments.of(
            HEADER + "1,red,yes\n\n\"1\n\",red,yes\nabc,red,no\n",
            "t.csv line 6: column \"x\" must be a number, got \"abc\""),
        Arguments.of(
            HEADER + "1,red,maybe\n",
            "t.csv line 2: column \"y\" (the label) must be one of \"no\", \"yes\", got"
                + " \"maybe\""),
        Arguments.of(HEADER + "1,red,\n", "must be one of \"no\", \"yes\", got \"\""),
        Arguments.of(
            "x,color,y\n1,red,yes\n",
            "t.csv: column \"colour\" must be in the file, got columns \"x\", \"color\", \"y\"; did"
                + " you mean \"color\"?"),
        Arguments.of(
            "x,colour,z\n1,red,yes\n",
            "t.csv: column \"y\" must be in the file, got columns \"x\""),
        Arguments.of("x,colour,x\n1,red,yes\n", "column names must be unique, got \"x\" twice"),
        Arguments.of(
            "1,2,3\n4,5,6\n", "first line must contain the column names, got only numbers"),
        Arguments.of(HEADER + "1,\"red,yes\n", "t.csv line 2: a quoted field must end"),
        Arguments.of(HEADER + "1,\"red\"x,yes\n", "t.csv line 2: a quoted field must end"),
        Arguments.of(
            HEADER + "1,red,yes\n1,r\0d,yes\n",
            "t.csv line 3: text must not contain a NUL character"),
        Arguments.of(
            HEADER + "\u001b[31m" + "9".repeat(60) + "x,red,no\n",
            "got \"\\u001b[31m999999999999999999999999999...\""));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void training_mistake_namesPlaceAndFix(String text, String message) {
    assertThatThrownBy(() -> Tables.SMALL.labeled(Tables.csv(text)))
        .isInstanceOf(TableException.class)
        .hasMessageContaining(message)
        .message()
        .contains("; ")
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void training_notUtf8_namesTheLine(String newline) {
    String text = String.join(newline, "x,colour,y", "1,red,yes", "2,gr\u00fcn,no", "");
    byte[] latin = text.getBytes(StandardCharsets.ISO_8859_1);

    assertFails(Tables.bytes(latin, CsvOptions.DEFAULT))
        .isEqualTo("t.csv line 3: text must be UTF-8, got byte 0xFC; save the file as UTF-8");
  }

  @Test
  void training_utf16_isRefused() {
    byte[] bytes = (HEADER + "1,red,yes\n").getBytes(StandardCharsets.UTF_16);

    assertFails(Tables.bytes(bytes, CsvOptions.DEFAULT)).contains("text must be UTF-8");
  }

  @Test
  void training_incompleteCharacterAtTheEnd_isRefused() {
    byte[] bytes = (HEADER + "1,red,\u00fc").getBytes(StandardCharsets.UTF_8);

    assertFails(Tables.bytes(Arrays.copyOf(bytes, bytes.length - 1), CsvOptions.DEFAULT))
        .contains("line 2: text must be UTF-8");
  }

  @Test
  void training_damagedGzip_isRefused() {
    byte[] whole = Tables.gzip(HEADER + "1,red,yes\n2,blue,no\n".repeat(5000));
    for (int length : new int[] {2, 5, 15, whole.length / 2, whole.length - 9, whole.length - 1}) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertFails(Tables.bytes(cut, CsvOptions.DEFAULT)).contains("compressed data must be");
    }
    byte[] flipped = whole.clone();
    flipped[whole.length - 6] ^= 1; // within the checksum
    assertFails(Tables.bytes(flipped, CsvOptions.DEFAULT)).contains("compressed data must be");
  }

  @Test
  void training_noFile_isRefused(@TempDir Path folder) {
    assertFails(CsvSource.of(folder, CsvOptions.DEFAULT)).contains("must be a file, got a folder");
    assertFails(CsvSource.of(folder.resolve("none.csv"), CsvOptions.DEFAULT))
        .contains("none.csv must be an existing file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a,", " ", "\"", "\"\"", "1;", "\u00fc", "\"\n"})
  void training_endlessLine_isRefusedEarly(String repeated) {
    for (String start : new String[] {"", HEADER, HEADER + "1,red,yes\n2,\""}) {
      CsvSource source =
          CsvSource.of("t.csv", () -> new Endless(start, repeated), CsvOptions.DEFAULT);
      assertTimeoutPreemptively(
          Duration.ofSeconds(20), () -> assertFails(source).startsWith("t.csv line "));
    }
  }

  @Test
  void options_otherDelimiter_isRefused() {
    assertThatThrownBy(() -> CsvOptions.DEFAULT.delimitedBy('x'))
        .isInstanceOf(TableException.class)
        .hasMessage(
            "delimiter must be a comma, a semicolon, a tab or a vertical bar, got \"x\"; convert"
                + " the file to one of these");
  }

  @Test
  void options_givenDelimiter_isNotDetected() {
    CsvSource source = Tables.csv("a;b,c\n1;2,3\n", CsvOptions.DEFAULT.delimitedBy(';'));

    assertThat(source.columns()).containsExactly("a", "b,c");
  }

  private static AbstractStringAssert<?> assertFails(CsvSource source) {
    Throwable thrown = catchThrowable(() -> Tables.SMALL.labeled(source));
    assertThat(thrown).isInstanceOf(TableException.class);
    return assertThat(String.valueOf(thrown.getMessage()));
  }

  /** An endless stream: a start, followed by a repeated text. */
  private static final class Endless extends InputStream {

    private final byte[] start;
    private final byte[] repeated;
    private long at;

    Endless(String start, String repeated) {
      this.start = start.getBytes(StandardCharsets.UTF_8);
      this.repeated = repeated.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      for (int i = offset; i < offset + length; i++) {
        target[i] = (byte) read();
      }
      return length;
    }

    @Override
    public int read() {
      long i = at++;
      return 0xff
          & (i < start.length
              ? start[(int) i]
              : repeated[(int) ((i - start.length) % repeated.length)]);
    }
  }
}
