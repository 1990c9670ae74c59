package org.sordino.table;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A column of a query result. Dates and times are read as {@code java.time} values, because {@code
 * java.sql.Timestamp} depends on the time zone of this machine. Long texts are read as strings.
 */
final class JdbcColumn {

  private final int index;
  private final String label;
  private @Nullable Class<?> type; // null for the driver's default

  private JdbcColumn(int index, String label, @Nullable Class<?> type) {
    this.index = index;
    this.label = label;
    this.type = type;
  }

  /**
   * Returns the columns of a query result.
   *
   * @param lowerCase whether the database stores unquoted names in upper case. Such names are
   *     converted to lower case, as people write them and PostgreSQL stores them.
   */
  static List<JdbcColumn> all(ResultSetMetaData columns, boolean lowerCase) throws SQLException {
    List<JdbcColumn> all = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String label = columns.getColumnLabel(i);
      boolean unquoted = lowerCase && label != null && label.equals(label.toUpperCase(Locale.ROOT));
      String name = unquoted ? label.toLowerCase(Locale.ROOT) : label;
      all.add(new JdbcColumn(i, name == null ? "" : name, type(columns, i)));
    }
    return all;
  }

  private static @Nullable Class<?> type(ResultSetMetaData columns, int i) throws SQLException {
    String name = String.valueOf(columns.getColumnTypeName(i)).toLowerCase(Locale.ROOT);
    boolean zoned = name.endsWith("tz") || name.contains("with time zone"); // also in PostgreSQL
    return switch (columns.getColumnType(i)) {
      case Types.DATE -> LocalDate.class;
      case Types.TIME -> zoned ? OffsetTime.class : LocalTime.class;
      case Types.TIME_WITH_TIMEZONE -> OffsetTime.class;
      case Types.TIMESTAMP -> zoned ? OffsetDateTime.class : LocalDateTime.class;
      case Types.TIMESTAMP_WITH_TIMEZONE -> OffsetDateTime.class;
      case Types.CLOB, Types.NCLOB, Types.LONGVARCHAR, Types.LONGNVARCHAR -> String.class;
      default -> null;
    };
  }

  String label() {
    return label;
  }

  /** Returns the value in the current row. */
  @Nullable Object read(ResultSet rows) throws SQLException {
    Class<?> wanted = type;
    if (wanted == null) {
      return rows.getObject(index);
    }
    if (wanted == String.class) {
      return rows.getString(index);
    }
    try {
      return rows.getObject(index, wanted);
    } catch (SQLException | AbstractMethodError e) { // an old driver, or a vendor-specific value
      type = null;
      return rows.getObject(index);
    }
  }
}
