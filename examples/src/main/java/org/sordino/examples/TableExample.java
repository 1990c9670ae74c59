package org.sordino.examples;

import java.nio.file.Path;
import java.util.Map;
import org.sordino.run.Model;
import org.sordino.run.Prediction;
import org.sordino.run.Run;
import org.sordino.run.TableTraining;
import org.sordino.table.DemoCensus;
import org.sordino.table.TableSource;

/** Trains on a table and scores a record. Arguments: a CSV file to write and a run directory. */
public final class TableExample {

  private TableExample() {}

  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    Path directory = Path.of(args[1]);
    DemoCensus.write(file, 20_000); // replace with your private records

    Run run =
        TableTraining.on(TableSource.csv(file))
            .label("employed")
            .schema(DemoCensus.schema()) // bounds and categories from public knowledge
            .population(20_000) // a public number
            .budget(1, 1e-5)
            .holdout(0.2)
            .train(directory);

    System.out.println(run.statement().headline());
    System.out.println(run.evaluation().orElseThrow().headline() + " (not private)");

    Model model = Model.load(directory); // thread-safe; a linear model needs no native library
    Prediction prediction =
        model.predict(Map.of("married", 1, "collegedegree", 1, "disability", 0));
    System.out.printf("employed with probability %.3f%n", prediction.probability("1"));
  }
}
