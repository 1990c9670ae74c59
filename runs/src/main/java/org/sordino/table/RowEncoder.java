package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows of texts that another system reads, by the same rules as files: spaces around a text
 * do not count, and null is an empty text. To encode single records for a trained model, see {@link
 * RecordEncoder}.
 */
public final class RowEncoder {

  private final TableReader.Sink sink;
  private final RowWriter writer;

  private RowEncoder(TableReader.Sink sink, RowWriter writer) {
    this.sink = sink;
    this.writer = writer;
  }

  /**
   * An encoder of rows with labels.
   *
   * @param source what messages call the table
   * @param columns the names of a row's fields, in order
   * @param userColumn the column with the user ID; null if there is none
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

  /** All rows so far. */
  public OwnedExamples examples() {
    return sink.owned();
  }
}
