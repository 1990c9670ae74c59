package org.sordino.table;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

/**
 * Formats floating-point numbers with the fewest digits that read back to the same number. If
 * several decimals of that length read back, the closest one is used. {@link Double#toString} does
 * this only since Java 19, and the text of a number must not depend on the version of Java.
 *
 * <p>The format is that of PostgreSQL: plain from 0.0001 (inclusive) to 1e15 (exclusive), and with
 * an exponent of at least two digits elsewhere, as in {@code 1.5e-07} and {@code 1e+15}. Whole
 * numbers in plain format have no fraction.
 */
final class DecimalText {

  private static final int PLAIN_FROM = -4;
  private static final int PLAIN_BELOW = 15;

  private DecimalText() {}

  /** Returns the text of a finite number. */
  static String of(double value) {
    BigDecimal text = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    // Different decimals of up to 15 digits are different normal doubles: such a text is shortest.
    boolean normal = Math.abs(value) >= Double.MIN_NORMAL;
    if (value != 0 && (!normal || text.precision() > 15)) {
      text = shortest(new BigDecimal(value), normal ? 15 : 1, t -> t.doubleValue() == value);
    }
    return format(text);
  }

  /** Returns the text of a finite single-precision number. */
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
   * Tries increasing numbers of digits. If any decimal with a given number of digits reads back, so
   * does the closest one, except next to a power of two, because numbers above a power of two are
   * twice as far apart as those below it.
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
