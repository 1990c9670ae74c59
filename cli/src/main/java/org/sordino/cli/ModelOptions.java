package org.sordino.cli;

import java.nio.file.Path;
import org.sordino.run.Model;
import org.sordino.table.TableSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A trained model and the records to use it on. */
final class ModelOptions {

  @Option(
      names = "--run",
      required = true,
      paramLabel = "RUN",
      description = "The directory of the run that trained the model.")
  private Path run = Path.of("");

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DATA",
      description =
          "The records, with the columns of the training data: a CSV or Parquet file. To evaluate a"
              + " model of images: mnist, cifar-10, fashion-mnist or a directory with one of them.")
  private String data = "";

  @Mixin private CsvFlags csv;

  Model model() {
    return Model.load(run);
  }

  String data() {
    return data;
  }

  TableSource records() {
    Path file = Path.of(data);
    return data.endsWith(".parquet")
        ? TableSource.parquet(file)
        : TableSource.csv(file, csv.options());
  }
}
