package org.sordino.spark;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Row;
import org.sordino.training.Examples;

/**
 * Converts rows with a vector and a label to records. A row whose vector is missing or has another
 * size becomes a non-finite record, which contributes nothing. An exception would reveal that such
 * a row exists.
 */
final class RowExamples implements FlatMapFunction<Iterator<Row>, Examples> {

  private static final long serialVersionUID = 1;

  private static final int ROOM = 64;

  private final int width;

  RowExamples(int width) {
    this.width = width;
  }

  @Override
  public Iterator<Examples> call(Iterator<Row> rows) {
    float[] features = new float[ROOM * width];
    float[] targets = new float[ROOM];
    int count = 0;
    while (rows.hasNext()) {
      Row row = rows.next();
      if (count == targets.length) {
        targets = Arrays.copyOf(targets, Math.multiplyExact(2, count));
        features = Arrays.copyOf(features, Math.multiplyExact(targets.length, width));
      }
      put(row, features, targets, count++);
    }
    Examples examples =
        new Examples(Arrays.copyOf(features, count * width), width, Arrays.copyOf(targets, count));
    return Collections.singleton(examples).iterator();
  }

  /** Converts a single row. */
  Examples one(Row row) {
    float[] features = new float[width];
    float[] targets = new float[1];
    put(row, features, targets, 0);
    return new Examples(features, width, targets);
  }

  private void put(Row row, float[] features, float[] targets, int i) {
    Vector vector = row.isNullAt(0) ? null : (Vector) row.get(0);
    if (vector == null || vector.size() != width) {
      Arrays.fill(features, i * width, (i + 1) * width, Float.NaN);
    } else {
      copy(vector, features, i * width);
    }
    targets[i] = row.isNullAt(1) ? Float.NaN : (float) row.getDouble(1);
  }

  /** Copies a vector as floats. */
  static void copy(Vector vector, float[] features, int at) {
    double[] values = vector.toArray();
    for (int j = 0; j < values.length; j++) {
      features[at + j] = (float) values[j];
    }
  }
}
