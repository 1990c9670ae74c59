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
 * Converts Java values to the text that a file would contain. All sources use the same rules, so
 * that the same rows have the same features in every source:
 *
 * <ul>
 *   <li>{@code null} is an empty text, which represents a missing value.
 *   <li>Leading and trailing spaces, tabs and line breaks are removed from texts, as from the
 *       fields of a file.
 *   <li>{@code Boolean} is {@code true} or {@code false}. An enum constant is its {@code name()}.
 *   <li>Integers are their digits, and so are whole {@code BigDecimal}s of up to 40 digits.
 *   <li>Other decimal numbers are the shortest text that reads back to the same {@code double}, and
 *       {@code Float} is the shortest text that reads back to the same {@code float}. Whole numbers
 *       below 1e15 have no fraction: 3.0 is {@code 3}. See {@link DecimalText}.
 *   <li>{@code NaN} is {@code NaN}, which a schema counts as missing by default.
 *   <li>Dates and times have ISO 8601 format with seconds: {@code 2024-05-01}, {@code
 *       2024-05-01T10:00:00}. A point in time ({@code Instant}, {@code OffsetDateTime}, {@code
 *       ZonedDateTime}, {@code java.util.Date}) is in UTC: {@code 2024-05-01T08:00:00Z}.
 *   <li>{@code UUID} and {@code Character} are converted with {@code toString}.
 * </ul>
 *
 * <p>Values of other types have no text. {@link #complaint} describes them by their type, never by
 * their value.
 *
 * <p>An instance is a reusable buffer and is not thread-safe. A number is rendered as text only on
 * demand, because most encoders need only the number.
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

  /** Returns whether this character is removed from the start and the end of a field. */
  static boolean isSpace(char c) {
    return c == ' ' || (c <= '\r' && c >= '\t');
  }

  /** Sets the next value. */
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

  /** Sets a number whose text is that of the {@code double}. */
  void setNumber(double value) {
    complaint = null;
    number = value + 0.0; // turns -0.0 into 0.0
    isNumber = true;
    rendered = false;
  }

  /** Sets a value without a text. The message is reported if the value is used. */
  void setComplaint(String message) {
    setText("");
    complaint = message;
  }

  /** Sets a text of the given length. The caller writes the text to the returned array. */
  char[] setText(int size) {
    complaint = null;
    isNumber = false;
    buffer = own(size);
    offset = 0;
    length = size;
    rendered = true;
    return buffer;
  }

  /**
   * Returns the error in the value, as the end of a sentence that starts with the column; null if
   * the value is valid.
   */
  @Nullable String complaint() {
    return complaint;
  }

  /**
   * Returns whether the value is a finite number. In this case {@link NumberText} parses the text
   * of the field as exactly {@link #number()}.
   */
  boolean isNumber() {
    return isNumber;
  }

  double number() {
    return number;
  }

  /** Returns the array that contains the text. Call {@link #render} first. */
  char[] buffer() {
    return buffer;
  }

  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /** Writes the text to {@link #buffer} if the value is a number and has not been rendered. */
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

  /** Databases also return whole numbers as decimals, and identifiers must keep all digits. */
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
      setText(value.toString()); // exceeds the range of a double, so no column accepts it as number
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
              "must have at most %,d characters, got more; shorten the value or leave the column"
                  + " out",
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

  /** Returns the text of a value that is neither a string nor a number, or null if it has none. */
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
        "must be a string, a number, a boolean or a date, got the type "
            + value.getClass().getTypeName()
            + "; convert the value or leave the column out");
  }
}
