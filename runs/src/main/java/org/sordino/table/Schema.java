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
 * What a table may hold, publicly: its columns with bounds and values, the texts that stand for a
 * missing value, and the label. With it a row becomes features and a target without a look at any
 * other row, which is what a privacy guarantee per record needs.
 *
 * <p>Numbers outside the bounds are moved to the nearer bound, values that were not declared count
 * as one value, and columns that the schema does not name are left out. How often that happens is
 * private and is told nowhere.
 *
 * @param columns in the order of the features
 * @param missing the texts that stand for a missing value
 * @param label what a model predicts, or null if nothing is
 * @param drafted whether bounds and values were taken from the records, outside any guarantee
 */
public record Schema(
    List<Column> columns, List<String> missing, @Nullable Label label, boolean drafted) {

  /** What stands for a missing value unless a schema says otherwise. */
  public static final List<String> MISSING =
      List.of("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?");

  public Schema {
    columns = List.copyOf(columns);
    missing = List.copyOf(missing);
    Set<String> names = new HashSet<>();
    for (Column column : columns) {
      if (!names.add(column.name())) {
        throw new TableException(
            "columns must have different names, got "
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
          "columns must have one that is not ignored, got none; declare a numeric or category"
              + " column");
    }
  }

  /**
   * Proposes a schema, with bounds and values taken from the records. What it says about them is
   * outside any guarantee: it is meant to be read and corrected.
   *
   * @param label the column to predict, or null for a schema without a label
   */
  public static Schema draft(TableSource source, @Nullable String label) {
    return SchemaDraft.of(source, label);
  }

  /** Reads the JSON form from a file. */
  public static Schema load(Path file) {
    return SchemaJson.load(file);
  }

  /**
   * Reads the JSON form.
   *
   * @param name what messages call the text
   */
  public static Schema ofJson(String name, String json) {
    return SchemaJson.parse(name, json);
  }

  /** The JSON form, indented for people. */
  public String toJson() {
    return SchemaJson.format(this);
  }

  /** The names of the features, in order. */
  public List<String> featureNames() {
    List<String> names = new ArrayList<>();
    columns.forEach(column -> names.addAll(column.featureNames()));
    return names;
  }

  /** How many features a record has. */
  public int width() {
    return columns.stream().mapToInt(column -> column.featureNames().size()).sum();
  }

  /** The classes in the order of their targets; none if the label is a number. */
  public List<String> classes() {
    return requireLabel().classes();
  }

  /** The label, or an error that says how to name it. */
  public Label requireLabel() {
    if (label == null) {
      throw new TableException(
          "schema must have a label, got none; name the column to predict with `label`");
    }
    return label;
  }

  /**
   * Reads records with their labels. Which of the classes occur makes no difference: whether a run
   * takes place must not depend on one record.
   */
  public Examples labeled(TableSource source) {
    return TableReader.of(this).labeled(source);
  }

  /**
   * Reads records with their labels, and whose they are.
   *
   * @param userColumn the column that says so, as text; null if nobody asks
   */
  public OwnedExamples labeled(TableSource source, @Nullable String userColumn) {
    return TableReader.of(this).owned(source, userColumn);
  }

  /**
   * Returns the same schema, except that one column is not used as a feature, such as the user ID.
   * If no column has this name, a column is ignored whose name differs in case only, because a
   * query matches names in this way.
   */
  public Schema ignoring(String column, String note) {
    boolean exact = columns.stream().anyMatch(other -> other.name().equals(column));
    Predicate<String> named = exact ? column::equals : column::equalsIgnoreCase;
    if (label != null && named.test(label.column())) {
      throw new TableException(
          "the column of the user must not be the label, got "
              + Excerpt.of(column)
              + " for both; name another");
    }
    List<Column> others = new ArrayList<>();
    for (Column other : columns) {
      others.add(named.test(other.name()) ? new IgnoredColumn(other.name(), note) : other);
    }
    return new Schema(others, missing, label, drafted);
  }

  /** Reads records without their labels, which need not be there; all targets are 0. */
  public Examples unlabeled(TableSource source) {
    return TableReader.of(this).unlabeled(source);
  }
}
