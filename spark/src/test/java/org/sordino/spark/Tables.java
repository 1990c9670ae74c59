package org.sordino.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.sordino.mechanism.Layout;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.TrainingPlan;

/** Made-up records, and the plans that are run on them. */
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

  /** One part per record, so that Spark cuts the table where it likes. */
  static JavaRDD<Examples> spread(JavaSparkContext context, Examples all, int partitions) {
    List<Examples> rows = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      rows.add(all.slice(i, i + 1));
    }
    return context.parallelize(rows, partitions);
  }

  /** Large tables: one part per partition. */
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
