package org.sordino.table;

import de.siegmar.fastcsv.reader.CsvCallbackHandler;
import de.siegmar.fastcsv.reader.RecordType;
import java.util.ArrayList;
import java.util.List;

/**
 * Receives the fields from the parser. Reads the header from the first line, checks the number of
 * fields in every row, and passes the fields to the sink without leading and trailing spaces.
 *
 * <p>The number of columns and the length of their names are limited, so that a malicious file
 * cannot exhaust the memory. The parser limits the length of a field.
 */
final class RowHandler extends CsvCallbackHandler<Boolean> {

  private final boolean header;
  private final Place place;
  private final RowSink sink;
  private final List<String> first = new ArrayList<>();
  private boolean inFirst = true;
  private boolean wanted = true;
  private boolean empty;
  private int fields;
  private int columns = ColumnNames.MOST;
  private long rows;

  RowHandler(boolean header, Place place, RowSink sink) {
    this.header = header;
    this.place = place;
    this.sink = sink;
  }

  @Override
  protected void beginRecord(long line) {
    place.row(line);
    fields = 0;
    empty = false;
  }

  @Override
  protected void addField(char[] buffer, int offset, int length, boolean quoted) {
    int start = offset;
    int end = offset + length;
    while (start < end && FieldText.isSpace(buffer[start])) {
      start++;
    }
    while (end > start && FieldText.isSpace(buffer[end - 1])) {
      end--;
    }
    if (fields == columns) {
      throw tooMany();
    }
    if (inFirst) {
      first.add(firstLine(buffer, start, end - start));
    } else {
      sink.field(fields, buffer, start, end - start);
    }
    fields++;
  }

  @Override
  protected Boolean buildRecord() {
    if (empty) {
      return true;
    }
    if (inFirst) {
      return endFirst();
    }
    if (fields < columns) {
      throw place.inRow(
          "a row must have " + columns + " fields, got " + fields + "; correct or delete the line");
    }
    rows++;
    sink.endOfRow();
    return true;
  }

  /** Rejects a file without records. */
  void end() {
    if (!wanted) {
      return;
    }
    if (inFirst) {
      throw place.inTable(
          "the table must have at least one record, got an empty file; check the path");
    }
    if (rows == 0) {
      throw place.noRecords();
    }
  }

  private Boolean endFirst() {
    inFirst = false;
    columns = first.size();
    place.columns(header ? checkedNames() : ColumnNames.numbered(first));
    wanted = sink.columns(place);
    if (wanted && !header) {
      for (int i = 0; i < columns; i++) {
        sink.field(i, first.get(i).toCharArray(), 0, first.get(i).length());
      }
      sink.endOfRow();
      rows++;
    }
    return wanted;
  }

  private List<String> checkedNames() {
    if (first.stream().allMatch(name -> NumberText.isNumber(name) || name.isEmpty())) {
      throw place.inRow(
          "the first line must contain the column names, got only numbers; use `withoutHeader` if"
              + " it is a record");
    }
    return ColumnNames.checked(place, first);
  }

  private String firstLine(char[] buffer, int offset, int length) {
    if (length > ColumnNames.LONGEST) {
      throw place.inRow(
          String.format(
              "a field of the first line must have at most %,d characters, got more; check the"
                  + " delimiter, and that the file is a table",
              ColumnNames.LONGEST));
    }
    return new String(buffer, offset, length);
  }

  private TableException tooMany() {
    String most =
        inFirst ? String.format("at most %,d", ColumnNames.MOST) : String.valueOf(columns);
    return place.inRow(
        "a row must have " + most + " fields, got more; correct the line, or set the delimiter");
  }

  @Override
  protected void setComment(char[] buffer, int offset, int length) {}

  @Override
  protected void setEmpty() {
    empty = true;
  }

  @Override
  protected RecordType getRecordType() {
    return empty ? RecordType.EMPTY : RecordType.DATA;
  }

  @Override
  protected int getFieldCount() {
    return columns;
  }
}
