package org.sordino.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers for people. Rounding directions are explicit, because costs round up. */
public final class Decimals {

  private Decimals() {}

  /** 12345678 as 12,345,678. */
  public static String grouped(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** The shortest text that reads back to the same number. */
  public static String plain(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    return Math.abs(value) >= 1e-4 ? decimal.toPlainString() : scientific(decimal);
  }

  /** As {@link #plain} if that is short, else with six digits. */
  public static String brief(double value) {
    String plain = plain(value);
    return plain.length() <= 8 ? plain : nearest(value, 6);
  }

  /** A number of so many digits, rounded as told; zeros stay, so that columns line up. */
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

  /** Rounded so that what is claimed is never better than what holds. */
  public static String up(double value, int digits) {
    return rounded(value, digits, RoundingMode.CEILING);
  }

  /** Rounded so that what is allowed is never more than what holds. */
  public static String down(double value, int digits) {
    return rounded(value, digits, RoundingMode.FLOOR);
  }

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
