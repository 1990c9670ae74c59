package org.sordino.table;

/**
 * Parses decimal numbers. The result equals that of {@link Double#parseDouble}, but other notations
 * (hexadecimal, {@code 1d}, {@code NaN}) are not accepted, and common cases are faster.
 *
 * <p>A double represents whole numbers of up to 15 digits exactly, and also powers of ten up to
 * 1e22. Their quotient is rounded once and is therefore correctly rounded.
 */
final class NumberText {

  private static final int MOST_DIGITS = 15;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private NumberText() {}

  static boolean isNumber(String text) {
    return !Double.isNaN(parse(text.toCharArray(), 0, text.length()));
  }

  /** Returns the number, or NaN if the text is not a number or exceeds the range of a double. */
  static double parse(char[] text, int offset, int length) {
    int end = offset + length;
    int i = offset;
    boolean negative = length > 0 && text[i] == '-';
    if (negative || (length > 0 && text[i] == '+')) {
      i++;
    }
    long digits = 0;
    int count = 0;
    int point = -1;
    for (; i < end; i++) {
      int digit = text[i] - '0';
      if (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
        count++;
      } else if (text[i] == '.' && point < 0) {
        point = count;
      } else {
        return general(text, offset, length);
      }
      if (count > MOST_DIGITS) {
        return general(text, offset, length);
      }
    }
    if (count == 0) {
      return Double.NaN;
    }
    double value = point < 0 ? digits : digits / POWERS[count - point];
    return negative ? -value : value;
  }

  private static double general(char[] text, int offset, int length) {
    if (!isDecimal(text, offset, length)) {
      return Double.NaN;
    }
    double value = Double.parseDouble(new String(text, offset, length));
    return Double.isInfinite(value) ? Double.NaN : value;
  }

  /** {@code [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?} */
  private static boolean isDecimal(char[] text, int offset, int length) {
    int end = offset + length;
    int i = skipSign(text, offset, end);
    int whole = skipDigits(text, i, end);
    int mantissa = whole - i;
    if (whole < end && text[whole] == '.') {
      int fraction = skipDigits(text, whole + 1, end);
      mantissa += fraction - whole - 1;
      whole = fraction;
    }
    if (mantissa == 0) {
      return false;
    }
    if (whole < end && (text[whole] == 'e' || text[whole] == 'E')) {
      int exponent = skipSign(text, whole + 1, end);
      whole = skipDigits(text, exponent, end);
      return whole == end && whole > exponent;
    }
    return whole == end;
  }

  private static int skipSign(char[] text, int i, int end) {
    return i < end && (text[i] == '-' || text[i] == '+') ? i + 1 : i;
  }

  private static int skipDigits(char[] text, int from, int end) {
    int i = from;
    while (i < end && text[i] >= '0' && text[i] <= '9') {
      i++;
    }
    return i;
  }
}
