package org.sordino.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.function.DoublePredicate;
import java.util.regex.Pattern;

/** Numbers as people write and read them. */
final class Numbers {

  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

  private Numbers() {}

  /**
   * Reads the value of an option.
   *
   * @param condition said in the message, such as "above 0"
   * @param fix what to give instead
   */
  static double real(
      String option, String text, DoublePredicate valid, String condition, String fix) {
    if (NUMBER.matcher(text.strip()).matches()) {
      double value = Double.parseDouble(text.strip());
      if (Double.isFinite(value) && valid.test(value)) {
        return value;
      }
    }
    throw bad(option, condition, text, fix);
  }

  /** As {@link #real}, exactly. */
  static BigDecimal exact(
      String option, String text, DoublePredicate valid, String condition, String fix) {
    real(option, text, valid, condition, fix);
    return new BigDecimal(text.strip());
  }

  /** Reads a whole number, also when it is written as 1e4. */
  static long whole(String option, String text, long min, long max, String fix) {
    String condition = "a whole number from " + grouped(min) + " to " + grouped(max);
    BigDecimal value = exact(option, text, x -> x >= min && x <= max, condition, fix);
    try {
      return value.longValueExact();
    } catch (ArithmeticException e) {
      throw bad(option, condition, text, fix);
    }
  }

  static InvalidInputException bad(String option, String condition, String got, String fix) {
    return new InvalidInputException(
        option + " must be " + condition + ", got " + got + "; " + fix);
  }

  /** 12345678 as 12,345,678. */
  static String grouped(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** The shortest text that reads back to the same number. */
  static String plain(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    return Math.abs(value) >= 1e-4 ? decimal.toPlainString() : scientific(decimal);
  }

  /** As {@link #plain} if that is short, else with six digits. */
  static String brief(double value) {
    String plain = plain(value);
    return plain.length() <= 8 ? plain : nearest(value, 6);
  }

  /** A number of so many digits, rounded as told; zeros stay, so that columns line up. */
  static String rounded(double value, int digits, RoundingMode mode) {
    if (value == 0 || !Double.isFinite(value)) {
      return value == 0 ? "0" : value > 0 ? "infinite" : "undefined";
    }
    BigDecimal decimal = new BigDecimal(value).round(new MathContext(digits, mode));
    double size = Math.abs(value);
    if (size < 1e-3 || size >= 1e7) {
      return scientific(decimal.stripTrailingZeros());
    }
    return decimal.setScale(Math.max(0, digits - integerDigits(decimal)), mode).toPlainString();
  }

  /** Rounded so that what is claimed is never better than what holds. */
  static String up(double value, int digits) {
    return rounded(value, digits, RoundingMode.CEILING);
  }

  /** Rounded so that what is allowed is never more than what holds. */
  static String down(double value, int digits) {
    return rounded(value, digits, RoundingMode.FLOOR);
  }

  static String nearest(double value, int digits) {
    return rounded(value, digits, RoundingMode.HALF_EVEN);
  }

  private static int integerDigits(BigDecimal decimal) {
    return decimal.precision() - decimal.scale();
  }

  private static String scientific(BigDecimal decimal) {
    int exponent = decimal.precision() - decimal.scale() - 1;
    BigDecimal mantissa = decimal.movePointLeft(exponent).stripTrailingZeros();
    return mantissa.toPlainString() + "e" + exponent;
  }
}
