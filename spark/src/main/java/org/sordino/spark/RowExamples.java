package org.sordino.spark;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;

/**
 * Turns rows of a vector and a label into records. A row with a vector that is missing or of
 * another size becomes a record that is not finite, which contributes nothing: an exception would
 * tell about it.
 */
final class RowExamples implements FlatMapFunction<Iterator<Row>, Examples> {

  private static final long serialVersionUID = 1;

  private final int width;

  RowExamples(int width) {
    this.width = width;
  }

  @Override
  public Iterator<Examples> call(Iterator<Row> rows) {
    float[] features = new float[64 * width];
    float[] targets = new float[64];
    int count = 0;
    while (rows.hasNext()) {
      Row row = rows.next();
      if (count == targets.length) {
        targets = Arrays.copyOf(targets, Math.multiplyExact(2, count));
        features = Arrays.copyOf(features, Math.multiplyExact(targets.length, width));
      }
      put(row.isNullAt(0) ? null : (Vector) row.get(0), features, count * width);
      targets[count++] = row.isNullAt(1) ? Float.NaN : (float) row.getDouble(1);
    }
    Examples examples =
        new Examples(Arrays.copyOf(features, count * width), width, Arrays.copyOf(targets, count));
    return Collections.singleton(examples).iterator();
  }

  private void put(@Nullable Vector vector, float[] features, int at) {
    if (vector == null || vector.size() != width) {
      Arrays.fill(features, at, at + width, Float.NaN);
      return;
    }
    copy(vector, features, at);
  }

  /** A vector as floats. */
  static void copy(Vector vector, float[] features, int at) {
    double[] values = vector.toArray();
    for (int j = 0; j < values.length; j++) {
      features[at + j] = (float) values[j];
    }
  }
}
