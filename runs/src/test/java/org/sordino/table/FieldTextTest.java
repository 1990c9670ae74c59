package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.CharBuffer;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FieldTextTest {

  private enum Color {
    RED {
      @Override
      public String toString() {
        return "rot";
      }
    }
  }

  static Stream<Arguments> values() {
    return Stream.of(
        Arguments.of(null, ""),
        Arguments.of("", ""),
        Arguments.of(" \t\r\n\f\u000b ", ""),
        Arguments.of("  a b\n", "a b"),
        Arguments.of("\u00a0x\u2003", "\u00a0x\u2003"),
        Arguments.of("x".repeat(1000), "x".repeat(1000)),
        Arguments.of(CharBuffer.wrap(" x "), "x"),
        Arguments.of(true, "true"),
        Arguments.of(false, "false"),
        Arguments.of('x', "x"),
        Arguments.of(Color.RED, "RED"),
        Arguments.of(new UUID(1, 2), "00000000-0000-0001-0000-000000000002"),
        Arguments.of((byte) -128, "-128"),
        Arguments.of((short) 7, "7"),
        Arguments.of(0, "0"),
        Arguments.of(Integer.MIN_VALUE, "-2147483648"),
        Arguments.of(999_999_999_999_999L, "999999999999999"),
        Arguments.of(1_000_000_000_000_000L, "1000000000000000"),
        Arguments.of(Long.MAX_VALUE, "9223372036854775807"),
        Arguments.of(Long.MIN_VALUE, "-9223372036854775808"),
        Arguments.of(BigInteger.TEN.pow(30), "1" + "0".repeat(30)),
        Arguments.of(BigInteger.valueOf(-12), "-12"),
        Arguments.of(3.0, "3"),
        Arguments.of(-3.0, "-3"),
        Arguments.of(0.0, "0"),
        Arguments.of(-0.0, "0"),
        Arguments.of(0.1, "0.1"),
        Arguments.of(-0.5, "-0.5"),
        Arguments.of(0.0001, "0.0001"),
        Arguments.of(0.00001, "1e-05"),
        Arguments.of(1.5e-7, "1.5e-07"),
        Arguments.of(12_345_678.5, "12345678.5"),
        Arguments.of(999_999_999_999_999.0, "999999999999999"),
        Arguments.of(999_999_999_999_999.9, "999999999999999.9"),
        Arguments.of(1e15, "1e+15"),
        Arguments.of(-1.25e300, "-1.25e+300"),
        Arguments.of(Double.MIN_VALUE, "5e-324"),
        Arguments.of(Double.MAX_VALUE, "1.7976931348623157e+308"),
        Arguments.of(0x1p-44, "5.684341886080802e-14"), // Java 17 writes one more digit
        Arguments.of(2e23, "2e+23"),
        Arguments.of(Double.NaN, "NaN"),
        Arguments.of(Double.NEGATIVE_INFINITY, "-Infinity"),
        Arguments.of(0.1f, "0.1"),
        Arguments.of(3f, "3"),
        Arguments.of(-0f, "0"),
        Arguments.of(1.1e-3f, "0.0011"),
        Arguments.of(16_777_216f, "16777216"),
        Arguments.of(1e20f, "1e+20"),
        Arguments.of(Float.MIN_VALUE, "1e-45"),
        Arguments.of(Float.NaN, "NaN"),
        Arguments.of(new BigDecimal("0.00"), "0"),
        Arguments.of(new BigDecimal("0E+1000000"), "0"),
        Arguments.of(new BigDecimal("3.00"), "3"),
        Arguments.of(new BigDecimal("1.50"), "1.5"),
        Arguments.of(new BigDecimal("3E+2"), "300"),
        Arguments.of(new BigDecimal("12345678901234567890"), "12345678901234567890"),
        Arguments.of(new BigDecimal("12345678901234567891.0"), "12345678901234567891"),
        Arguments.of(new BigDecimal("0.1000000000000000000000001"), "0.1"),
        Arguments.of(new BigDecimal("1E+300"), "1e+300"),
        Arguments.of(new BigDecimal("1E+999999999"), "1E+999999999"),
        Arguments.of(new BigDecimal("1E-999"), "0"),
        Arguments.of(LocalDate.of(2024, 5, 1), "2024-05-01"),
        Arguments.of(LocalDateTime.of(2024, 5, 1, 10, 0), "2024-05-01T10:00:00"),
        Arguments.of(LocalTime.of(10, 0), "10:00:00"),
        Arguments.of(LocalTime.parse("10:00:00.250"), "10:00:00.25"),
        Arguments.of(OffsetTime.parse("10:00+02:00"), "10:00:00+02:00"),
        Arguments.of(Instant.ofEpochSecond(0), "1970-01-01T00:00:00Z"),
        Arguments.of(OffsetDateTime.parse("2024-05-01T10:00+02:00"), "2024-05-01T08:00:00Z"),
        Arguments.of(
            ZonedDateTime.parse("2024-05-01T10:00+02:00[Europe/Paris]"), "2024-05-01T08:00:00Z"),
        Arguments.of(YearMonth.of(2024, 5), "2024-05"),
        Arguments.of(Duration.ofMinutes(5), "PT5M"),
        Arguments.of(java.sql.Date.valueOf("2024-05-01"), "2024-05-01"),
        Arguments.of(Time.valueOf("10:00:00"), "10:00:00"),
        Arguments.of(Timestamp.valueOf("2024-05-01 10:00:00.5"), "2024-05-01T10:00:00.5"),
        Arguments.of(Date.from(Instant.ofEpochSecond(0)), "1970-01-01T00:00:00Z"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void text_value_isAsDocumented(Object value, String expected) {
    FieldText field = new FieldText();
    for (Object before : new Object[] {"x".repeat(100), 12.5, new byte[1]}) {
      field.set(before);
      field.render();
      assertThat(text(field, value)).isEqualTo(expected);
      assertThat(field.complaint()).isNull();
    }
  }

  @Test
  void complaint_otherType_namesTheTypeOnly() {
    FieldText field = new FieldText();
    for (Object value :
        new Object[] {
          new byte[] {1}, new int[] {77}, Optional.of(77), new AtomicInteger(77), new Object()
        }) {
      field.set(value);
      assertThat(field.complaint())
          .contains("got the type " + value.getClass().getTypeName())
          .doesNotContain("77");
    }
  }

  @Test
  void number_anyNumber_equalsItsParsedText() {
    SplittableRandom random = new SplittableRandom(11);
    FieldText field = new FieldText();
    for (int i = 0; i < 200_000; i++) {
      Object value = number(random, i);
      field.set(value);
      if (field.isNumber()) {
        double number = field.number();
        String text = text(field, value);
        double read = NumberText.parse(text.toCharArray(), 0, text.length());
        assertThat(Double.doubleToLongBits(read)).as(text).isEqualTo(bits(number));
        assertThat(number).isEqualTo(((Number) value).doubleValue());
      } else {
        assertThat(text(field, value)).as(text(field, value)).isEqualTo(exact(value));
      }
    }
  }

  private static long bits(double number) {
    return Double.doubleToLongBits(number);
  }

  /** Returns the text of a value that is not a double: a float, or a large whole number. */
  private static String exact(Object value) {
    if (value instanceof Float single) {
      assertThat(Float.parseFloat(DecimalText.of(single))).isEqualTo(single);
      return DecimalText.of(single);
    }
    return value instanceof BigDecimal ? plain(value) : value.toString();
  }

  private static String plain(Object value) {
    return new BigDecimal(value.toString()).stripTrailingZeros().toPlainString();
  }

  private static Object number(SplittableRandom random, int i) {
    return switch (i % 7) {
      case 0 -> random.nextInt();
      case 1 -> random.nextLong() >> random.nextInt(64);
      case 2 -> finite(Double.longBitsToDouble(random.nextLong()));
      case 3 -> (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-8, 18));
      case 4 -> (float) ((random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-8, 9)));
      case 5 -> BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), random.nextInt(9));
      default -> (double) (random.nextInt(-1_000_000, 1_000_000)) / 1000;
    };
  }

  private static double finite(double value) {
    return Double.isFinite(value) ? value : 1;
  }

  /** No decimal with one digit less reads back, and none with as many digits is closer. */
  @Test
  void decimal_randomBits_isShortestAndClosest() {
    SplittableRandom random = new SplittableRandom(12);
    for (int i = 0; i < 30_000; i++) {
      long bits = random.nextLong();
      if (i % 3 == 0) {
        bits &= ~0L << random.nextInt(64); // powers of two and others with few bits
      } else if (i % 3 == 1) {
        bits = random.nextLong(1L << random.nextInt(1, 53)); // subnormal
      }
      double value = Math.abs(finite(Double.longBitsToDouble(bits)));
      if (value > 0) {
        checkShortest(value);
      }
    }
  }

  private static void checkShortest(double value) {
    String text = DecimalText.of(value);
    assertThat(Double.parseDouble(text)).as(text).isEqualTo(value);
    BigDecimal decimal = new BigDecimal(text).stripTrailingZeros();
    BigDecimal exact = new BigDecimal(value);
    int digits = decimal.precision();
    if (digits > 1) {
      for (RoundingMode mode : new RoundingMode[] {RoundingMode.FLOOR, RoundingMode.CEILING}) {
        BigDecimal shorter = exact.round(new MathContext(digits - 1, mode));
        assertThat(shorter.doubleValue()).as(text).isNotEqualTo(value);
      }
    }
    for (RoundingMode mode : new RoundingMode[] {RoundingMode.FLOOR, RoundingMode.CEILING}) {
      BigDecimal other = exact.round(new MathContext(digits, mode));
      boolean closer = other.subtract(exact).abs().compareTo(decimal.subtract(exact).abs()) < 0;
      assertThat(closer && other.doubleValue() == value).as(text).isFalse();
    }
  }

  @Test
  void decimal_allFloatsOfASample_readBack() {
    SplittableRandom random = new SplittableRandom(13);
    for (int i = 0; i < 30_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      if (Float.isFinite(value)) {
        String text = DecimalText.of(value);
        assertThat(Float.parseFloat(text)).as(text).isEqualTo(value + 0f);
        assertThat(text.length()).isLessThanOrEqualTo(16);
      }
    }
  }

  private static String text(FieldText field, Object value) {
    field.set(value);
    field.render();
    return new String(field.buffer(), field.offset(), field.length());
  }
}
