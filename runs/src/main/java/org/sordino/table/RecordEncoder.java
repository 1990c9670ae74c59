package org.sordino.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes individual records for a trained model. The features are bit for bit those that training
 * on a table with the same values would use. Instances are immutable and thread-safe.
 *
 * <p>Each call allocates a small buffer, whose size does not depend on the number of features.
 */
public final class RecordEncoder {

  private final List<String> columns;
  private final Column[] declared;
  private final FieldEncoder[] encoders;
  private final int[] starts;
  private final int width;

  private RecordEncoder(Schema schema) {
    List<Column> used =
        schema.columns().stream().filter(column -> !column.featureNames().isEmpty()).toList();
    Vocabulary missing = Vocabulary.of(schema.missing());
    this.columns = used.stream().map(Column::name).toList();
    this.declared = used.toArray(new Column[0]);
    this.encoders = new FieldEncoder[declared.length];
    this.starts = new int[declared.length];
    int start = 0;
    for (int i = 0; i < declared.length; i++) {
      encoders[i] = declared[i].encoder(missing);
      starts[i] = start;
      start += declared[i].featureNames().size();
    }
    this.width = start;
  }

  /** Returns an encoder for the columns of a schema. The label is not needed. */
  public static RecordEncoder of(Schema schema) {
    return new RecordEncoder(schema);
  }

  /** Returns the columns with features, in the order of {@link #encode(Object[], float[])}. */
  public List<String> columns() {
    return columns;
  }

  /** Returns the number of features, {@link Schema#width()}. */
  public int width() {
    return width;
  }

  /**
   * Encodes a record given as a map from column names to values.
   *
   * <p>Keys that the schema does not use are ignored, like other columns of a table. An absent key
   * is a missing value, which is encoded like an empty field of a file. If a key is absent and
   * exactly one other key differs from it in case only, that key is used, because databases change
   * the case of names.
   *
   * @param record values by column name; values may be null
   * @param features array for the features, of length {@link #width()}
   * @throws TableException if a value does not fit its column, or if the record contains none of
   *     the columns. The message does not contain a value.
   */
  public void encode(Map<String, ?> record, float[] features) {
    clear(features);
    FieldText field = new FieldText();
    boolean found = false;
    for (int i = 0; i < encoders.length; i++) {
      String column = columns.get(i);
      Object value = record.get(column);
      if (value == null && !record.containsKey(column)) {
        String key = otherCase(record, column);
        value = key == null ? null : record.get(key);
        found |= key != null;
      } else {
        found = true;
      }
      encode(i, value, field, features);
    }
    if (!found) {
      throw new TableException(
          "record: keys must include at least one of the columns "
              + Excerpt.list(columns)
              + ", got none; correct the keys");
    }
  }

  /**
   * Encodes a record given as an array of values.
   *
   * @param values one value per column, in the order of {@link #columns()}; values may be null
   * @param features array for the features, of length {@link #width()}
   * @throws TableException if a value does not fit its column. The message does not contain a
   *     value.
   */
  public void encode(@Nullable Object[] values, float[] features) {
    if (values.length != encoders.length) {
      throw new TableException(
          "record: values must have one entry for each of the "
              + encoders.length
              + " columns, got "
              + values.length
              + "; pass them in the order of columns()");
    }
    clear(features);
    FieldText field = new FieldText();
    for (int i = 0; i < encoders.length; i++) {
      encode(i, values[i], field, features);
    }
  }

  private void clear(float[] features) {
    if (features.length != width) {
      throw new IllegalArgumentException(
          "features must have length " + width + ", got " + features.length);
    }
    Arrays.fill(features, 0);
  }

  private void encode(int column, @Nullable Object value, FieldText field, float[] features) {
    field.set(value);
    String complaint = field.complaint();
    if (complaint == null && !encoders[column].encode(field, features, starts[column])) {
      String got = value == null ? "a missing value" : "a different value (not shown)";
      complaint = "must be " + declared[column].expected() + ", got " + got + "; correct it";
    }
    if (complaint != null) {
      throw new TableException(
          "record: column " + Excerpt.of(columns.get(column)) + " " + complaint);
    }
  }

  /**
   * Returns the only key that differs from the column in case only and is not a column itself, or
   * null.
   */
  private @Nullable String otherCase(Map<String, ?> record, String column) {
    List<String> found = new ArrayList<>(1);
    for (String key : record.keySet()) {
      if (key.equalsIgnoreCase(column) && !columns.contains(key)) {
        found.add(key);
      }
    }
    return found.size() == 1 ? found.get(0) : null;
  }
}
