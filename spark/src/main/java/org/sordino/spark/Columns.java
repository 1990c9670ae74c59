package org.sordino.spark;

import java.util.Arrays;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/** Checks the columns of a data frame. */
final class Columns {

  private Columns() {}

  static void requireVector(StructType schema, String column) {
    require(
        schema, column, SQLDataTypes.VectorType(), "a vector; assemble it with VectorAssembler");
  }

  static void requireNumber(StructType schema, String column) {
    DataType type = type(schema, column);
    if (!(type instanceof NumericType)) {
      throw new IllegalArgumentException(
          "column "
              + column
              + " must be numeric, got "
              + type.simpleString()
              + "; declare the classes, for example with new StringIndexerModel(new String[]"
              + " {\"no\", \"yes\"}), or train with a declared schema (--engine spark --schema)."
              + " A fitted StringIndexer would read the private labels without noise");
    }
  }

  /**
   * Requires a type whose values stay distinct as text. Values of other types may have the same
   * text, and two users would become one.
   */
  static void requireName(StructType schema, String column) {
    DataType type = type(schema, column);
    boolean exact =
        type.equals(DataTypes.StringType)
            || type.equals(DataTypes.LongType)
            || type.equals(DataTypes.IntegerType)
            || type.equals(DataTypes.ShortType)
            || type.equals(DataTypes.ByteType);
    if (!exact) {
      throw new IllegalArgumentException(
          "column "
              + column
              + " must contain strings or integers, got "
              + type.simpleString()
              + "; convert it to a string that is unique per user");
    }
  }

  /** Returns the schema with the columns of a prediction added. */
  static StructType withPrediction(StructType schema, String prediction, String probability) {
    StructType extended = schema;
    if (!probability.isEmpty()) {
      extended = added(extended, probability, SQLDataTypes.VectorType());
    }
    return prediction.isEmpty() ? extended : added(extended, prediction, DataTypes.DoubleType);
  }

  private static StructType added(StructType schema, String column, DataType type) {
    if (Arrays.asList(schema.fieldNames()).contains(column)) {
      throw new IllegalArgumentException(
          "column " + column + " already exists in the table; choose another name");
    }
    return schema.add(column, type, false);
  }

  private static void require(StructType schema, String column, DataType wanted, String words) {
    DataType type = type(schema, column);
    if (!type.equals(wanted)) {
      throw new IllegalArgumentException(
          "column " + column + " must be " + words + ", got " + type.simpleString());
    }
  }

  private static DataType type(StructType schema, String column) {
    if (!Arrays.asList(schema.fieldNames()).contains(column)) {
      throw new IllegalArgumentException(
          "column "
              + column
              + " must be in the table, got "
              + String.join(", ", schema.fieldNames())
              + "; set featuresCol, labelCol and userCol");
    }
    return schema.apply(column).dataType();
  }
}
