package org.sordino.cli;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.run.Model;
import org.sordino.run.Prediction;
import org.sordino.table.Label;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino predict}: applies a trained model to new records. */
@Command(
    name = "predict",
    description = {
      "Predict the labels of new records with a trained model",
      "",
      "Writes one row per record, in the order of the records, with the prediction and the"
          + " probability of each class. The records need no labels."
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
      "The model is private. A prediction must be protected like the record that it was made for."
    })
final class PredictCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ModelOptions options;

  @Option(
      names = "--out",
      paramLabel = "SCORES.csv",
      description = "Output file (default: standard output)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    Model model = options.model();
    if (out != null) {
      OutputFiles.check("--out", out);
    }
    String scores = scores(model.schema().requireLabel(), model.predictAll(options.records()));
    if (out == null) {
      spec.commandLine().getOut().print(scores);
    } else {
      OutputFiles.write("--out", out, scores);
      spec.commandLine().getErr().println("wrote " + out);
    }
    return Main.OK;
  }

  private static String scores(Label label, List<Prediction> predictions) {
    StringWriter text = new StringWriter();
    CsvWriter csv = CsvWriter.builder().bufferSize(0).lineDelimiter(LineDelimiter.LF).build(text);
    List<String> header = new ArrayList<>(List.of("prediction"));
    label.classes().forEach(name -> header.add("p(" + name + ")"));
    csv.writeRecord(header);
    for (Prediction prediction : predictions) {
      List<String> row = new ArrayList<>(List.of(prediction.label()));
      for (double probability : prediction.probabilities()) {
        row.add(Double.toString(probability));
      }
      csv.writeRecord(row);
    }
    return text.toString();
  }
}
