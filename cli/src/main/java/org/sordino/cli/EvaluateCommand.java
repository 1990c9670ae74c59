package org.sordino.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.network.ImageModel;
import org.sordino.report.Decimals;
import org.sordino.run.Evaluation;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Model;
import org.sordino.torch.ImageData;
import org.sordino.torch.TorchData;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino evaluate}: evaluates a trained model on labeled records. */
@Command(
    name = "evaluate",
    description = {
      "Evaluate a trained model on labeled records",
      "",
      "The results are computed without noise and are not private."
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

  @Mixin private ModelOptions options;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    Model model = options.model();
    if (model instanceof ImageModel images) {
      return evaluateImages(images);
    }
    Evaluation evaluation = model.evaluate(options.records());
    if (evaluation.records() == 0) {
      throw InvalidInputException.of("--data", "a file with records", options.data(), "add rows");
    }
    answer(evaluation, model.schema().classes());
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

  /** Evaluates a model on the test images of an image data set. */
  private int evaluateImages(ImageModel network) {
    DataOptions place = new DataOptions();
    place.data = options.data();
    ImageData.Source source = place.images();
    if (source == null) {
      throw InvalidInputException.of(
          "--data", "an image data set", options.data(), "use mnist, for example, or its folder");
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
    out.printf("Results on %s records (NOT private)%n%n", Decimals.grouped(evaluation.records()));
    if (evaluation.confusion().isEmpty()) {
      out.println("  root mean square error  " + Decimals.nearest(evaluation.rootMeanSquare(), 5));
      return;
    }
    out.println("  accuracy   " + Decimals.nearest(100 * evaluation.accuracy(), 4) + "%");
    if (!Double.isNaN(evaluation.auc())) {
      out.println("  AUC        " + Decimals.nearest(evaluation.auc(), 4));
    }
    out.println("  log loss   " + Decimals.nearest(evaluation.logLoss(), 4));
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
      evaluation.confusion().get(k).forEach(count -> row.add(Decimals.grouped(count)));
      rows.add(row);
    }
    int width = rows.stream().flatMap(List::stream).mapToInt(String::length).max().orElse(0);
    for (List<String> row : rows) {
      row.forEach(cell -> out.print("  " + " ".repeat(width - cell.length()) + cell));
      out.println();
    }
  }
}
