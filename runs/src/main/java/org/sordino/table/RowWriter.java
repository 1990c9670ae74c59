package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes rows of Java values to a sink, with the same checks as for a file. */
final class RowWriter {

  private final Place place;
  private final RowSink sink;
  private final FieldText field = new FieldText();
  private int columns;
  private long rows;

  RowWriter(Place place, RowSink sink) {
    this.place = place;
    this.sink = sink;
  }

  /**
   * Checks the column names and passes them to the sink.
   *
   * @return whether to scan the rows
   */
  boolean begin(List<String> names) {
    place.columns(ColumnNames.checked(place, names));
    columns = names.size();
    return sink.columns(place);
  }

  void row(@Nullable Object[] values) {
    place.row(++rows);
    if (values.length != columns) {
      throw place.inRow(
          "a row must have " + columns + " values, got " + values.length + "; correct the row");
    }
    for (int i = 0; i < columns; i++) {
      field.set(values[i]);
      sink.value(i, field);
    }
    sink.endOfRow();
  }

  /** Rejects a table without rows. */
  void end() {
    if (rows == 0) {
      throw place.noRecords();
    }
  }
}
