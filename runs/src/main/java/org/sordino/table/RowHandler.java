package org.sordino.table;

import de.siegmar.fastcsv.reader.CsvCallbackHandler;
import de.siegmar.fastcsv.reader.RecordType;
import java.util.ArrayList;
import java.util.List;

/**
 * Gets the fields from the parser: takes the first line for the header, holds every row against its
 * number of columns, and passes the fields on without their outer spaces.
 *
 * <p>Limits stand where a hostile file could otherwise fill the memory: on the number of columns
 * and the length of their names. The length of a field is limited by the parser.
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
          "a row must have " + columns + " fields, got " + fields + "; mend or delete the line");
    }
    rows++;
    sink.endOfRow();
    return true;
  }

  /** Refuses a file without records. */
  void end() {
    if (!wanted) {
      return;
    }
    if (inFirst) {
      throw place.inTable("a table must have records, got an empty file; check the name");
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
          "the first line must name the columns, got numbers only; use `withoutHeader` if it is a"
              + " record");
    }
    return ColumnNames.checked(place, first);
  }

  private String firstLine(char[] buffer, int offset, int length) {
    if (length > ColumnNames.LONGEST) {
      throw place.inRow(
          String.format(
              "a field of the first line must have at most %,d characters, got more; check that"
                  + " the file is a table and its delimiter",
              ColumnNames.LONGEST));
    }
    return new String(buffer, offset, length);
  }

  private TableException tooMany() {
    String most =
        inFirst ? String.format("at most %,d", ColumnNames.MOST) : String.valueOf(columns);
    return place.inRow(
        "a row must have " + most + " fields, got more; mend the line, or give the delimiter");
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
