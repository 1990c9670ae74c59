package org.sordino.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.sordino.mechanism.Layout;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.TrainingPlan;
import scala.Tuple2;

/** Synthetic records, and plans to train on them. */
final class Tables {

  private Tables() {}

  static Examples random(int records, int width, int classes) {
    Random random = new Random(11);
    float[] features = new float[records * width];
    float[] targets = new float[records];
    for (int i = 0; i < records; i++) {
      for (int j = 0; j < width; j++) {
        features[i * width + j] = random.nextFloat() * 2 - 1;
      }
      targets[i] = Math.min(classes - 1, (int) ((features[i * width] + 1) / 2 * classes));
    }
    return new Examples(features, width, targets);
  }

  /** Distributes a table in one part per record, so that Spark may split it anywhere. */
  static JavaRDD<Examples> spread(JavaSparkContext context, Examples all, int partitions) {
    List<Examples> rows = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      rows.add(all.slice(i, i + 1));
    }
    return context.parallelize(rows, partitions);
  }

  /** Distributes a large table in one part per partition. */
  static JavaRDD<Examples> parts(JavaSparkContext context, Examples all, int partitions) {
    List<Examples> parts = new ArrayList<>();
    for (int p = 0; p < partitions; p++) {
      parts.add(
          all.slice(
              (int) ((long) all.size() * p / partitions),
              (int) ((long) all.size() * (p + 1) / partitions)));
    }
    return context.parallelize(parts, partitions);
  }

  /** Assigns 400 users in random order; the first owns a third of all examples. */
  static List<Tuple2<String, Examples>> owned(Examples table) {
    Random random = new Random(3);
    List<Tuple2<String, Examples>> owned = new ArrayList<>();
    for (int i = 0; i < table.size(); i++) {
      String user = i % 3 == 0 ? "user-0" : "user-" + random.nextInt(400);
      owned.add(new Tuple2<>(user, table.slice(i, i + 1)));
    }
    return owned;
  }

  /** Creates a data frame with the columns a, b, label, and the vector features of a and b. */
  static Dataset<Row> frame(SparkSession session, int records, int classes) {
    Examples examples = random(records, 2, classes);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      rows.add(
          RowFactory.create(
              (double) examples.features()[2 * i],
              (double) examples.features()[2 * i + 1],
              (double) examples.targets()[i]));
    }
    StructType columns =
        new StructType()
            .add("a", DataTypes.DoubleType)
            .add("b", DataTypes.DoubleType)
            .add("label", DataTypes.DoubleType);
    return new VectorAssembler()
        .setInputCols(new String[] {"a", "b"})
        .setOutputCol("features")
        .transform(session.createDataFrame(rows, columns));
  }

  static TrainingPlan plan(LinearModel model, int records, int steps) {
    return plan(model.layout(), records, steps);
  }

  static TrainingPlan plan(Layout layout, int records, int steps) {
    return TrainingPlan.forLayout(layout)
        .population(records)
        .expectedBatch(records / 10.0)
        .steps(steps)
        .noiseMultiplier(1)
        .clip(0.7)
        .build();
  }
}
