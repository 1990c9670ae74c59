package org.sordino.table;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

/**
 * Writes floating-point numbers with the fewest digits that read back to the same number, and of
 * these the digits closest to it. {@link Double#toString} does so only from Java 19 on, and the
 * text of a number must not depend on the version of Java.
 *
 * <p>The form is that of PostgreSQL: plain from 0.0001 up to, but not including, 1e15, and with an
 * exponent of at least two digits elsewhere, as in {@code 1.5e-07} and {@code 1e+15}. Whole numbers
 * in the plain form have no fraction.
 */
final class DecimalText {

  private static final int PLAIN_FROM = -4;
  private static final int PLAIN_BELOW = 15;

  private DecimalText() {}

  /** Returns the text of a finite number. */
  static String of(double value) {
    BigDecimal text = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    // Any decimal of 15 digits identifies a normal double, so no shorter one reads back to it.
    boolean normal = Math.abs(value) >= Double.MIN_NORMAL;
    if (value != 0 && (!normal || text.precision() > 15)) {
      text = shortest(new BigDecimal(value), normal ? 15 : 1, t -> t.doubleValue() == value);
    }
    return format(text);
  }

  /** Returns the text of a finite number of single precision. */
  static String of(float value) {
    BigDecimal text = new BigDecimal(Float.toString(value)).stripTrailingZeros();
    boolean normal = Math.abs(value) >= Float.MIN_NORMAL;
    if (value != 0 && (!normal || text.precision() > 6)) {
      Predicate<BigDecimal> same = t -> Float.parseFloat(t.toString()) == value;
      text = shortest(new BigDecimal(value), normal ? 6 : 1, same);
    }
    return format(text);
  }

  /**
   * Tries more and more digits. The closest decimal of a length reads back if any of this length
   * does, except next to a power of two: numbers above it are twice as far apart as below it.
   */
  private static BigDecimal shortest(BigDecimal exact, int least, Predicate<BigDecimal> same) {
    for (int digits = least; ; digits++) {
      for (RoundingMode mode :
          new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN}) {
        BigDecimal rounded = exact.round(new MathContext(digits, mode));
        if (same.test(rounded)) {
          return rounded.stripTrailingZeros();
        }
      }
    }
  }

  private static String format(BigDecimal text) {
    int exponent = text.precision() - text.scale() - 1;
    if (text.signum() == 0) {
      return "0";
    }
    if (exponent >= PLAIN_FROM && exponent < PLAIN_BELOW) {
      return text.toPlainString();
    }
    BigDecimal mantissa = text.movePointLeft(exponent);
    String sign = exponent < 0 ? "-" : "+";
    String digits = String.valueOf(Math.abs(exponent));
    return mantissa.toPlainString() + "e" + sign + (digits.length() < 2 ? "0" : "") + digits;
  }
}
