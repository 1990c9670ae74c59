package org.sordino.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers for people. Rounding directions are explicit, because costs are rounded up. */
public final class Decimals {

  private Decimals() {}

  /** Returns a whole number with thousands separators, such as {@code 12,345,678}. */
  public static String grouped(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Returns the shortest text that parses to the same number. */
  public static String plain(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    return Math.abs(value) >= 1e-4 ? decimal.toPlainString() : scientific(decimal);
  }

  /** Returns {@link #plain} if it has at most 8 characters, otherwise six significant digits. */
  public static String brief(double value) {
    String plain = plain(value);
    return plain.length() <= 8 ? plain : nearest(value, 6);
  }

  /**
   * Returns a number rounded to significant digits. Trailing zeros are kept, so columns of numbers
   * align.
   *
   * @param value number to round
   * @param digits number of significant digits
   * @param mode rounding mode
   */
  public static String rounded(double value, int digits, RoundingMode mode) {
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

  /** Returns a number rounded up, for upper bounds: the printed bound is never below the value. */
  public static String up(double value, int digits) {
    return rounded(value, digits, RoundingMode.CEILING);
  }

  /**
   * Returns a number rounded down, for lower bounds: the printed bound is never above the value.
   */
  public static String down(double value, int digits) {
    return rounded(value, digits, RoundingMode.FLOOR);
  }

  /** Returns a number rounded to the nearest decimal with this number of significant digits. */
  public static String nearest(double value, int digits) {
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
