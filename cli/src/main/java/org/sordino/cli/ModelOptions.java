package org.sordino.cli;

import java.nio.file.Path;
import org.sordino.run.Model;
import org.sordino.table.TableSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a trained model and the records to apply it to. */
final class ModelOptions {

  @Option(
      names = "--run",
      required = true,
      paramLabel = "RUN",
      description = "Directory of the run that trained the model")
  private Path run = Path.of("");

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DATA",
      description =
          "Records with the columns of the training data: a CSV or Parquet file; for an image"
              + " model ('sordino evaluate' only): mnist, fashion-mnist, cifar-10 or a directory"
              + " with one of these data sets")
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
