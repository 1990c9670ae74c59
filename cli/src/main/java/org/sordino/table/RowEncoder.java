package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows that come as texts, not from a file with delimiters, by the same rules: spaces
 * around a text do not count, and a value that is not there is an empty text.
 */
public final class RowEncoder {

  private final TableReader.Sink sink;
  private final Place place;
  private final int columns;
  private long row;

  private RowEncoder(TableReader.Sink sink, Place place, int columns) {
    this.sink = sink;
    this.place = place;
    this.columns = columns;
  }

  /**
   * An encoder of rows with labels.
   *
   * @param source what messages call the table
   * @param columns the names of a row's fields, in order
   * @param userColumn where the user stands; null if nobody asks
   */
  public static RowEncoder of(
      Schema schema, String source, List<String> columns, @Nullable String userColumn) {
    Place place = new Place(source);
    place.columns(columns);
    TableReader.Sink sink = new TableReader.Sink(schema, schema.requireLabel(), userColumn);
    sink.columns(place);
    return new RowEncoder(sink, place, columns.size());
  }

  /** Encodes one row. */
  public void add(@Nullable String[] fields) {
    if (fields.length != columns) {
      throw place.inFile("a row must have " + columns + " fields, got " + fields.length);
    }
    place.line(++row);
    for (int i = 0; i < columns; i++) {
      String field = fields[i];
      char[] text = field == null ? new char[0] : field.strip().toCharArray();
      sink.field(i, text, 0, text.length);
    }
    sink.endOfRow();
  }

  /** All rows so far. */
  public OwnedExamples examples() {
    return sink.owned();
  }
}
