package org.sordino.table;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;

/**
 * The public declaration of a table: its columns with bounds and values, the texts that represent a
 * missing value, and the label. With a schema, each row is encoded as features and a target without
 * reading any other row. A privacy guarantee per record requires this.
 *
 * <p>Numbers outside the bounds are moved to the nearer bound, undeclared values are encoded as one
 * value, and columns that are not in the schema are ignored. How often this happens is private and
 * is not reported.
 *
 * @param columns the columns, in the order of the features
 * @param missing the texts that represent a missing value
 * @param label the label, or null if the schema has none
 * @param drafted whether bounds and values were taken from the records, outside any guarantee
 */
public record Schema(
    List<Column> columns, List<String> missing, @Nullable Label label, boolean drafted) {

  /** The texts that represent a missing value by default. */
  public static final List<String> MISSING =
      List.of("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?");

  public Schema {
    columns = List.copyOf(columns);
    missing = List.copyOf(missing);
    Set<String> names = new HashSet<>();
    for (Column column : columns) {
      if (!names.add(column.name())) {
        throw new TableException(
            "columns must have unique names, got "
                + Excerpt.of(column.name())
                + " twice; delete one");
      }
    }
    if (label != null && names.contains(label.column())) {
      throw new TableException(
          "label must not be among the columns, got "
              + Excerpt.of(label.column())
              + " in both; delete it from the columns");
    }
    if (columns.stream().allMatch(column -> column.featureNames().isEmpty())) {
      throw new TableException(
          "columns must include at least one that is not ignored, got none; declare a numeric or"
              + " category column");
    }
  }

  /**
   * Drafts a schema with bounds and values taken from the records. These are outside any guarantee.
   * Review the draft and correct it.
   *
   * @param label name of the column to predict, or null for a schema without a label
   */
  public static Schema draft(TableSource source, @Nullable String label) {
    return SchemaDraft.of(source, label);
  }

  /** Reads a schema from a JSON file. */
  public static Schema load(Path file) {
    return SchemaJson.load(file);
  }

  /**
   * Reads a schema from JSON.
   *
   * @param name name of the text in error messages
   */
  public static Schema ofJson(String name, String json) {
    return SchemaJson.parse(name, json);
  }

  /** Returns the schema as indented JSON. */
  public String toJson() {
    return SchemaJson.format(this);
  }

  /** Returns the names of the features, in order. */
  public List<String> featureNames() {
    List<String> names = new ArrayList<>();
    columns.forEach(column -> names.addAll(column.featureNames()));
    return names;
  }

  /** Returns the number of features of a record. */
  public int width() {
    return columns.stream().mapToInt(column -> column.featureNames().size()).sum();
  }

  /** Returns the classes in the order of their targets; an empty list if the label is a number. */
  public List<String> classes() {
    return requireLabel().classes();
  }

  /**
   * Returns the label.
   *
   * @throws TableException if the schema has no label
   */
  public Label requireLabel() {
    if (label == null) {
      throw new TableException(
          "schema must have a label, got none; declare the column to predict as \"label\"");
    }
    return label;
  }

  /**
   * Reads labeled records. Classes that do not occur are accepted, because a single record must not
   * determine whether a run takes place.
   */
  public Examples labeled(TableSource source) {
    return TableReader.of(this).labeled(source);
  }

  /**
   * Reads labeled records with their users.
   *
   * @param userColumn column with the user ID, which is read as text; or null
   */
  public OwnedExamples labeled(TableSource source, @Nullable String userColumn) {
    return TableReader.of(this).owned(source, userColumn);
  }

  /**
   * Returns this schema with one column ignored, such as the user ID. If no column has this name,
   * columns whose names differ in case only are ignored, because names in query results match in
   * the same way.
   *
   * @param note the reason, for readers of the schema
   */
  public Schema ignoring(String column, String note) {
    boolean exact = columns.stream().anyMatch(other -> other.name().equals(column));
    Predicate<String> named = exact ? column::equals : column::equalsIgnoreCase;
    if (label != null && named.test(label.column())) {
      throw new TableException(
          "the user column must not be the label, got "
              + Excerpt.of(column)
              + " for both; choose another column");
    }
    List<Column> others = new ArrayList<>();
    for (Column other : columns) {
      others.add(named.test(other.name()) ? new IgnoredColumn(other.name(), note) : other);
    }
    return new Schema(others, missing, label, drafted);
  }

  /** Reads records without labels; all targets are 0. A label column is ignored. */
  public Examples unlabeled(TableSource source) {
    return TableReader.of(this).unlabeled(source);
  }
}
