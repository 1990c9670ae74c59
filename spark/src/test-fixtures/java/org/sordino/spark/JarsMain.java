package org.sordino.spark;

import java.nio.file.Path;
import org.apache.spark.util.Utils;
import org.sordino.run.TableLocation;
import org.sordino.run.TableTask;
import org.sordino.run.Training;
import org.sordino.run.TrainingOptions;
import org.sordino.table.CsvOptions;
import org.sordino.table.DemoCensus;

/**
 * A driver in a separate process, as started from a Maven project. Arguments: a census, the master,
 * a run directory and, for a network, its architecture.
 */
final class JarsMain {

  static final int PEOPLE = 1_000;

  private JarsMain() {}

  static Training training(TableLocation census, String architecture) {
    TableTask.Builder task = TableTask.at(census).schema(DemoCensus.schema());
    if (!architecture.isEmpty()) {
      task.learner(schema -> NetworkLearners.of(architecture));
    }
    return Training.of(task.build())
        .options(new TrainingOptions().epsilon(1).population(PEOPLE).expectedBatch(200).steps(3))
        .insecureSeed(3);
  }

  static TableLocation census(String file, String engine, String master) {
    return new TableLocation(
        file, null, null, CsvOptions.DEFAULT, null, 0, engine, master, 2, null);
  }

  public static void main(String[] args) {
    Utils.setCustomHostname("127.0.0.1"); // avoids a name lookup
    training(census(args[0], "spark", args[1]), args.length > 3 ? args[3] : "")
        .run(Path.of(args[2]));
  }
}
