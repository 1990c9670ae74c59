package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows of texts that another system reads. The rules are those of files: leading and
 * trailing spaces are removed, and null is an empty text. To encode individual records for a
 * trained model, use {@link RecordEncoder}.
 */
public final class RowEncoder {

  private final TableReader.Sink sink;
  private final RowWriter writer;

  private RowEncoder(TableReader.Sink sink, RowWriter writer) {
    this.sink = sink;
    this.writer = writer;
  }

  /**
   * Returns an encoder of labeled rows.
   *
   * @param source name of the table in error messages
   * @param columns names of the columns, in the order of the fields
   * @param userColumn column with the user ID, or null
   */
  public static RowEncoder of(
      Schema schema, String source, List<String> columns, @Nullable String userColumn) {
    TableReader.Sink sink = new TableReader.Sink(schema, schema.requireLabel(), userColumn);
    RowWriter writer = new RowWriter(Place.inRows(source), sink);
    writer.begin(columns);
    return new RowEncoder(sink, writer);
  }

  /** Encodes one row. */
  public void add(@Nullable String[] fields) {
    writer.row(fields);
  }

  /** Returns all rows encoded so far. */
  public OwnedExamples examples() {
    return sink.owned();
  }
}
