package org.sordino.spark;

import java.nio.file.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;

/**
 * A driver in a separate process, which a test kills. Trains in the folder given as its argument.
 */
final class DriverMain {

  static final LinearModel MODEL = LinearModel.logistic(6);
  static final int RECORDS = 3_000;
  static final int STEPS = 40;
  static final long SEED = 9;

  private DriverMain() {}

  static Examples table() {
    return Tables.random(RECORDS, MODEL.inputs(), 2);
  }

  public static void main(String[] args) {
    JavaSparkContext context = new JavaSparkContext(Sparks.start(Sparks.cluster(2)).sparkContext());
    SparkEngine engine =
        SparkEngine.of(EngineFactory.linear(MODEL), Tables.spread(context, table(), 2));
    Trainer.of(Tables.plan(MODEL, RECORDS, STEPS), engine)
        .insecureSeed(SEED)
        .in(Path.of(args[0]))
        .listener(TrainingListener.afterStep((step, theta) -> System.out.println("step " + step)))
        .run();
  }
}
