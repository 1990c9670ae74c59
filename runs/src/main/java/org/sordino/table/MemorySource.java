package org.sordino.table;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A source whose rows are Java objects in memory. */
final class MemorySource<R> extends TableSource {

  private final List<String> columns;
  private final List<? extends R> rows;
  private final RowValues<R> values;

  private MemorySource(List<String> columns, List<? extends R> rows, RowValues<R> values) {
    super("table");
    this.columns = columns;
    this.rows = rows;
    this.values = values;
  }

  static TableSource ofRecords(List<? extends Record> records) {
    List<String> columns = new ArrayList<>();
    List<Method> accessors = new ArrayList<>();
    if (!records.isEmpty()) {
      for (RecordComponent component : records.get(0).getClass().getRecordComponents()) {
        columns.add(component.getName());
        accessors.add(accessor(component));
      }
    }
    return new MemorySource<Record>(
        columns, records, (record, target, place) -> read(record, accessors, target, place));
  }

  static TableSource ofMaps(List<? extends Map<String, ?>> rows) {
    List<String> columns = rows.isEmpty() ? List.of() : keys(rows.get(0));
    return new MemorySource<Map<String, ?>>(
        columns, rows, (row, target, place) -> read(row, columns, target, place));
  }

  static TableSource ofArrays(List<String> columns, List<Object[]> rows) {
    return new MemorySource<Object[]>(List.copyOf(columns), rows, (row, target, place) -> row);
  }

  @Override
  void scan(RowSink sink) {
    Place place = Place.inRows(name());
    if (columns.isEmpty() && rows.isEmpty()) {
      throw place.noRecords();
    }
    RowWriter writer = new RowWriter(place, sink);
    if (!writer.begin(columns)) {
      return;
    }
    @Nullable Object[] target = new Object[columns.size()];
    for (int i = 0; i < rows.size(); i++) {
      place.row(i + 1L);
      R row = rows.get(i);
      if (row == null) {
        throw place.inRow("a row must not be null; leave it out");
      }
      writer.row(values.read(row, target, place));
    }
    writer.end();
  }

  private static Method accessor(RecordComponent component) {
    Method accessor = component.getAccessor();
    if (!accessor.trySetAccessible()) { // also works for classes that are not public
      throw new TableException(
          "record class "
              + component.getDeclaringRecord().getName()
              + " must be accessible; make it public or open its package");
    }
    return accessor;
  }

  private static @Nullable Object[] read(
      Record row, List<Method> accessors, @Nullable Object[] target, Place place) {
    Class<?> expected = accessors.get(0).getDeclaringClass();
    if (row.getClass() != expected) {
      throw place.inRow(
          "a row must have the class of the first row, "
              + expected.getName()
              + ", got "
              + row.getClass().getName()
              + "; use one class for all rows");
    }
    for (int i = 0; i < target.length; i++) {
      try {
        target[i] = accessors.get(i).invoke(row);
      } catch (IllegalAccessException | InvocationTargetException e) {
        // The cause is left out because its message may contain a value.
        throw place.inColumn(
            i, "must be readable, but its accessor threw an exception; correct the accessor");
      }
    }
    return target;
  }

  private static @Nullable Object[] read(
      Map<String, ?> row, List<String> columns, @Nullable Object[] target, Place place) {
    int present = 0;
    for (int i = 0; i < target.length; i++) {
      String column = columns.get(i);
      target[i] = row.get(column);
      present += target[i] != null || row.containsKey(column) ? 1 : 0;
    }
    if (present < row.size()) {
      List<String> names = new ArrayList<>(row.keySet());
      names.removeAll(columns);
      throw place.inRow(
          "keys must also occur in the first row, got "
              + Excerpt.list(names)
              + "; add all keys to the first row, with null for missing values");
    }
    return target;
  }

  private static List<String> keys(Map<String, ?> row) {
    List<String> keys = new ArrayList<>(row.keySet());
    if (!(row instanceof LinkedHashMap || row instanceof SortedMap)) {
      keys.sort(null);
    }
    return keys;
  }

  /** Returns the values of a row, in the order of the columns. */
  private interface RowValues<R> {

    /**
     * Returns the values of a row.
     *
     * @param target an array that may be filled and returned
     */
    @Nullable Object[] read(R row, @Nullable Object[] target, Place place);
  }
}
