package org.sordino.cli;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvSource;
import org.sordino.table.Label;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino predict}: what a trained model says about new records. */
@Command(
    name = "predict",
    description = {
      "What a trained model says about new records: a row for each, in their order, with the"
          + " prediction and the probability of every class. Labels are not needed."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino predict --run runs/x --data new.csv --out scores.csv",
      "  sordino predict --run runs/x --data new.tsv --delimiter tab",
      "",
      "The model is private; what it says about a record is as private as the record that is asked",
      "about."
    })
final class PredictCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--run",
      required = true,
      paramLabel = "RUN",
      description = "The directory of the run that trained the model.")
  private Path run = Path.of("");

  @Option(
      names = "--data",
      required = true,
      paramLabel = "FILE.csv",
      description = "The records, with the columns of the training data.")
  private Path data = Path.of("");

  @Mixin private CsvFlags csv;

  @Option(
      names = "--out",
      paramLabel = "SCORES.csv",
      description = "Where to write; without it, to the standard output.")
  private @Nullable Path out;

  @Override
  public Integer call() {
    Model model = Model.load(RunDirectory.existing(run));
    if (out != null) {
      OutputFiles.check("--out", out);
    }
    double[][] predictions =
        model.predict(model.schema().unlabelled(CsvSource.of(data, csv.options())));
    String scores = scores(model.schema().requireLabel(), predictions);
    if (out == null) {
      spec.commandLine().getOut().print(scores);
    } else {
      OutputFiles.write("--out", out, scores);
      spec.commandLine().getErr().println("wrote " + out);
    }
    return Main.OK;
  }

  private static String scores(Label label, double[][] predictions) {
    StringWriter text = new StringWriter();
    CsvWriter csv = CsvWriter.builder().bufferSize(0).lineDelimiter(LineDelimiter.LF).build(text);
    List<String> header = new ArrayList<>(List.of("prediction"));
    label.classes().forEach(name -> header.add("p(" + name + ")"));
    csv.writeRecord(header);
    for (double[] prediction : predictions) {
      csv.writeRecord(row(label, prediction));
    }
    return text.toString();
  }

  private static List<String> row(Label label, double[] prediction) {
    if (label.isNumber()) {
      return List.of(Double.toString(label.number(prediction[0])));
    }
    List<String> row = new ArrayList<>();
    row.add(label.classes().get(Evaluation.prediction(prediction)));
    for (int k = 0; k < label.classes().size(); k++) {
      row.add(Double.toString(Evaluation.probability(prediction, k)));
    }
    return row;
  }
}
