package org.sordino.table;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Date;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns Java values into the text that a file would have in their place. There is this one rule for
 * all sources, so that the same rows give the same features wherever they come from:
 *
 * <ul>
 *   <li>{@code null} is an empty text, which stands for a missing value.
 *   <li>Texts lose the spaces, tabs and line breaks around them, as fields of a file do.
 *   <li>{@code Boolean} becomes {@code true} or {@code false}, an enum its {@code name()}.
 *   <li>Integers become their digits, and so do whole {@code BigDecimal}s of up to 40 digits.
 *   <li>Other decimal numbers have the shortest text that reads back to the same {@code double};
 *       {@code Float} has the shortest text that reads back to the same {@code float}. Whole
 *       numbers below 1e15 have no fraction: 3.0 is {@code 3}. See {@link DecimalText}.
 *   <li>{@code NaN} is {@code NaN}, which a schema counts as missing by default.
 *   <li>Dates and times have their ISO 8601 form with seconds: {@code 2024-05-01}, {@code
 *       2024-05-01T10:00:00}. A point in time ({@code Instant}, {@code OffsetDateTime}, {@code
 *       ZonedDateTime}, {@code java.util.Date}) is given in UTC: {@code 2024-05-01T08:00:00Z}.
 *   <li>{@code UUID} and {@code Character} are their text.
 * </ul>
 *
 * <p>Other types have no text: {@link #complaint} describes them by their type, never by value.
 *
 * <p>An instance is a buffer that is used again for the next value; it is not thread-safe. A number
 * is rendered as text only on demand, because most encoders need nothing but the number.
 */
final class FieldText {

  private static final double PLAIN_LIMIT = 1e15; // whole numbers below it are exact in a double
  private static final int MOST_DIGITS = 40;
  private static final char[] NOTHING = {};

  private char[] own = new char[48];
  private char[] buffer = NOTHING;
  private int offset;
  private int length;
  private double number;
  private boolean isNumber;
  private boolean rendered;
  private @Nullable String complaint;

  /** Whether a file would lose this character at the start or the end of a field. */
  static boolean isSpace(char c) {
    return c == ' ' || (c <= '\r' && c >= '\t');
  }

  /** Takes the next value. */
  void set(@Nullable Object value) {
    complaint = null;
    if (value == null) {
      setText("");
    } else if (value instanceof String text) {
      setText(text);
    } else if (value instanceof Number given) {
      setNumber(given);
    } else {
      String text = other(value);
      if (text != null) {
        setText(text);
      } else {
        complain(value);
      }
    }
  }

  /** Takes a number whose text is that of the {@code double}. */
  void setNumber(double value) {
    complaint = null;
    number = value + 0.0; // turns -0.0 into 0.0
    isNumber = true;
    rendered = false;
  }

  /** Takes a value that has no text, with the message that is due when it is used. */
  void setComplaint(String message) {
    setText("");
    complaint = message;
  }

  /** Takes a text of this length, which the caller writes into the array that is returned. */
  char[] setText(int size) {
    complaint = null;
    isNumber = false;
    buffer = own(size);
    offset = 0;
    length = size;
    rendered = true;
    return buffer;
  }

  /** What is wrong with the value, as the end of a sentence about its column; null if nothing. */
  @Nullable String complaint() {
    return complaint;
  }

  /**
   * Whether the value is a finite number. If so, {@link NumberText} reads the text of the field as
   * exactly {@link #number()}.
   */
  boolean isNumber() {
    return isNumber;
  }

  double number() {
    return number;
  }

  /** The array with the text. Call {@link #render} first. */
  char[] buffer() {
    return buffer;
  }

  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /** Makes sure that {@link #buffer} holds the text, also of a number. */
  void render() {
    if (rendered) {
      return;
    }
    if (number == Math.rint(number) && Math.abs(number) < PLAIN_LIMIT) {
      renderWhole((long) number);
    } else {
      renderText(DecimalText.of(number));
    }
  }

  private void setNumber(Number value) {
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      setNumber(value.intValue());
    } else if (value instanceof Long) {
      setLong(value.longValue());
    } else if (value instanceof Double) {
      setDouble(value.doubleValue());
    } else if (value instanceof Float) {
      setFloat(value.floatValue());
    } else if (value instanceof BigDecimal decimal) {
      setDecimal(decimal);
    } else if (value instanceof BigInteger whole) {
      setDecimal(new BigDecimal(whole));
    } else {
      complain(value);
    }
  }

  private void setLong(long value) {
    if (Math.abs(value) < PLAIN_LIMIT && value != Long.MIN_VALUE) {
      setNumber((double) value);
    } else {
      setText(Long.toString(value));
    }
  }

  private void setDouble(double value) {
    if (Double.isFinite(value)) {
      setNumber(value);
    } else {
      setText(Double.toString(value));
    }
  }

  private void setFloat(float value) {
    if (!Float.isFinite(value)) {
      setText(Float.toString(value));
    } else if (value == Math.rint(value) && Math.abs(value) < 1 << 24) {
      setNumber((double) value);
    } else {
      setText(DecimalText.of(value));
    }
  }

  /** Databases give whole numbers as decimals too; identifiers among them must keep all digits. */
  private void setDecimal(BigDecimal value) {
    double nearest = value.doubleValue();
    boolean whole = value.signum() == 0 || value.stripTrailingZeros().scale() <= 0;
    if (whole && value.precision() - value.scale() <= MOST_DIGITS) {
      if (Math.abs(nearest) < PLAIN_LIMIT) {
        setNumber(nearest);
      } else {
        setText(value.setScale(0).toPlainString());
      }
    } else if (Double.isFinite(nearest)) {
      setNumber(nearest);
    } else {
      setText(value.toString()); // beyond the doubles, and so not a number for any column
    }
  }

  private void setText(String text) {
    isNumber = false;
    renderText(text);
  }

  private void renderText(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && isSpace(text.charAt(start))) {
      start++;
    }
    while (end > start && isSpace(text.charAt(end - 1))) {
      end--;
    }
    if (end - start > CsvScanner.LONGEST_FIELD) {
      setComplaint(
          String.format(
              "must have at most %,d characters, got more; leave the column out",
              CsvScanner.LONGEST_FIELD));
      return;
    }
    buffer = own(end - start);
    text.getChars(start, end, buffer, 0);
    offset = 0;
    length = end - start;
    rendered = true;
  }

  private char[] own(int size) {
    if (own.length < size) {
      own = new char[Math.max(size, 2 * own.length)];
    }
    return own;
  }

  private void renderWhole(long value) {
    buffer = own;
    int at = own.length;
    long rest = Math.abs(value);
    do {
      own[--at] = (char) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (value < 0) {
      own[--at] = '-';
    }
    offset = at;
    length = own.length - at;
    rendered = true;
  }

  /** The text of a value that is neither a string nor a number, or null if it has none. */
  private static @Nullable String other(Object value) {
    if (value instanceof Boolean || value instanceof Character || value instanceof UUID) {
      return value.toString();
    }
    if (value instanceof CharSequence) {
      return value.toString();
    }
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    return time(value);
  }

  private static @Nullable String time(Object value) {
    if (value instanceof LocalDate
        || value instanceof Year
        || value instanceof YearMonth
        || value instanceof MonthDay
        || value instanceof Duration
        || value instanceof Period) {
      return value.toString();
    }
    if (value instanceof LocalDateTime local) {
      return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(local);
    }
    if (value instanceof LocalTime local) {
      return DateTimeFormatter.ISO_LOCAL_TIME.format(local);
    }
    if (value instanceof OffsetTime offset) {
      return DateTimeFormatter.ISO_OFFSET_TIME.format(offset);
    }
    return value instanceof Date date ? date(date) : instant(value);
  }

  private static @Nullable String instant(Object value) {
    Instant instant = null;
    if (value instanceof Instant given) {
      instant = given;
    } else if (value instanceof OffsetDateTime given) {
      instant = given.toInstant();
    } else if (value instanceof ZonedDateTime given) {
      instant = given.toInstant();
    }
    return instant == null ? null : DateTimeFormatter.ISO_INSTANT.format(instant);
  }

  private static @Nullable String date(Date date) {
    if (date instanceof java.sql.Date day) {
      return time(day.toLocalDate());
    }
    if (date instanceof java.sql.Time time) {
      return time(time.toLocalTime());
    }
    if (date instanceof java.sql.Timestamp timestamp) {
      return time(timestamp.toLocalDateTime());
    }
    return instant(date.toInstant());
  }

  private void complain(Object value) {
    setComplaint(
        "must be a text, a number, a truth value or a date, got the type "
            + value.getClass().getTypeName()
            + "; convert it or leave the column out");
  }
}
