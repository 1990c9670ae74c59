package org.sordino.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.CsvSource;
import org.sordino.torch.ImageData;
import org.sordino.torch.TorchData;
import org.sordino.training.Examples;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino evaluate}: how good a trained model is on records with labels. */
@Command(
    name = "evaluate",
    description = {
      "How good a trained model is on records with labels. These numbers are computed without"
          + " noise: they are not private."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino evaluate --run runs/x --data test.csv",
      "  sordino evaluate --run runs/x --data test.csv --json"
    })
final class EvaluateCommand implements Callable<Integer> {

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
      paramLabel = "DATA",
      description =
          "Records with labels that were not trained on: a file, or, for a model of images, mnist,"
              + " cifar-10, fashion-mnist or a directory with one of them.")
  private Path data = Path.of("");

  @Mixin private CsvFlags csv;

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    Model model = Model.load(RunDirectory.existing(run));
    if (model instanceof TrainedNetwork network && network.rows() == null) {
      return evaluateImages(network);
    }
    Examples examples = model.schema().labelled(CsvSource.of(data, csv.options()));
    if (examples.size() == 0) {
      throw Numbers.bad("--data", "a file with records", data.toString(), "add rows");
    }
    answer(model.evaluate(examples), model.schema().classes());
    return Main.OK;
  }

  private void answer(Evaluation evaluation, List<String> classes) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>(evaluation.json());
      if (!evaluation.confusion().isEmpty()) {
        answer.put("classes", classes);
      }
      answer.put("note", "not private");
      out.println(Json.writePretty(answer));
    } else {
      print(out, evaluation, classes);
    }
  }

  /** Image data sets come with test images of their own. */
  private int evaluateImages(TrainedNetwork network) {
    DataOptions place = new DataOptions();
    place.data = data.toString();
    ImageData.Source source = place.images();
    if (source == null) {
      throw Numbers.bad(
          "--data", "the images that the model is for", data.toString(), "give mnist or a folder");
    }
    TorchData images;
    try {
      images = ImageData.load(source, place.imageFolder()).testData();
    } catch (IOException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
    Evaluation evaluation = network.evaluate(images);
    List<String> classes = new ArrayList<>();
    for (int k = 0; k < evaluation.confusion().size(); k++) {
      classes.add(Integer.toString(k));
    }
    answer(evaluation, classes);
    return Main.OK;
  }

  private static void print(PrintWriter out, Evaluation evaluation, List<String> classes) {
    out.printf("on %s records; NOT private%n%n", Numbers.grouped(evaluation.records()));
    if (evaluation.confusion().isEmpty()) {
      out.println("  root mean square error  " + Numbers.nearest(evaluation.rootMeanSquare(), 5));
      return;
    }
    out.println("  accuracy   " + Numbers.nearest(100 * evaluation.accuracy(), 4) + " %");
    if (!Double.isNaN(evaluation.auc())) {
      out.println("  AUC        " + Numbers.nearest(evaluation.auc(), 4));
    }
    out.println("  log loss   " + Numbers.nearest(evaluation.logLoss(), 4));
    out.println();
    confusion(out, evaluation, classes);
  }

  private static void confusion(PrintWriter out, Evaluation evaluation, List<String> classes) {
    List<List<String>> rows = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of("truth \\ prediction"));
    header.addAll(classes);
    rows.add(header);
    for (int k = 0; k < classes.size(); k++) {
      List<String> row = new ArrayList<>(List.of(classes.get(k)));
      evaluation.confusion().get(k).forEach(count -> row.add(Numbers.grouped(count)));
      rows.add(row);
    }
    int width = rows.stream().flatMap(List::stream).mapToInt(String::length).max().orElse(0);
    for (List<String> row : rows) {
      row.forEach(cell -> out.print("  " + " ".repeat(width - cell.length()) + cell));
      out.println();
    }
  }
}
