package org.sordino.examples;

import static org.apache.spark.sql.functions.monotonically_increasing_id;

import java.nio.file.Path;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.sordino.spark.DpClassificationModel;
import org.sordino.spark.DpClassifier;
import org.sordino.table.DemoCensus;

/** Trains with the Spark ML estimator. Argument: a CSV file to write. */
public final class SparkExample {

  private SparkExample() {}

  public static void main(String[] args) {
    DemoCensus.write(Path.of(args[0]), 20_000); // replace with your private records
    SparkSession.Builder builder =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false");
    try (SparkSession session = builder.getOrCreate()) {
      Dataset<Row> people =
          session
              .read()
              .option("header", "true")
              .schema( // declared publicly, not inferred from the records
                  "sex int, married int, black int, asian int, collegedegree int, employed int,"
                      + " militaryservice int, uscitizen int, disability int, englishability int")
              .csv(args[0]);
      Dataset<Row> vectors = // features should be in about [-1, 1]
          new VectorAssembler()
              .setInputCols(new String[] {"sex", "married", "collegedegree", "disability"})
              .setOutputCol("features")
              .transform(people)
              .withColumn("row", monotonically_increasing_id());

      // Do not use randomSplit: adding or removing one row changes the assignment of other rows.
      Dataset<Row> training = vectors.where("row % 5 > 0");
      DpClassificationModel model =
          new DpClassifier()
              .setLabelCol("employed")
              .setEpsilon(1)
              .setDelta(1e-5)
              .setPopulation(16_000) // a public number
              .fit(training);
      System.out.printf("epsilon %.3f at delta %.0e%n", model.epsilon(), model.delta());

      double accuracy =
          new MulticlassClassificationEvaluator()
              .setLabelCol("employed")
              .setMetricName("accuracy")
              .evaluate(model.transform(vectors.where("row % 5 = 0")));
      System.out.printf("accuracy %.3f (not private)%n", accuracy);
    }
  }
}
