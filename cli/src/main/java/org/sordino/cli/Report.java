package org.sordino.cli;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.ledger.Head;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;

/**
 * Everything about a run on one page. Unlike the statement it shows numbers that are not private,
 * and marks each of them.
 */
final class Report {

  /** The first steps of a run may each take the accountant a second; nobody waits for a figure. */
  private static final int POINTS = 24;

  static final String FILE = "report.html";

  private static final String NOT_PRIVATE = "not private";

  private final RunDirectory run;
  private final Statement statement;
  private final HtmlPage page;

  private Report(RunDirectory run) {
    this.run = run;
    this.statement = Statement.read(run);
    this.page = new HtmlPage("A model of " + label() + ", and what it tells about the records");
  }

  static HtmlPage of(RunDirectory run) {
    Report report = new Report(run);
    report.headline();
    report.statement.prose().addTo(report.page);
    report.cost();
    report.learning();
    report.plan();
    report.provenance();
    report.next();
    return report.page;
  }

  private void headline() {
    List<HtmlPage.Fact> facts = new ArrayList<>();
    boolean stated = statement.refusal() == null;
    facts.add(
        new HtmlPage.Fact(
            stated ? statement.epsilon() : "none",
            "epsilon",
            stated ? "certified upper bound, from the ledger" : "there is no guarantee"));
    if (stated) {
      facts.add(new HtmlPage.Fact(statement.delta(), "delta", "may fail with this probability"));
    }
    Map<?, ?> test = test();
    addShare(facts, test.get("accuracy"), "accuracy");
    addShare(facts, test.get("nonPrivateAccuracy"), "accuracy without privacy");
    addNumber(facts, test.get("rootMeanSquareError"), "root mean square error");
    addNumber(facts, test.get("nonPrivateRootMeanSquareError"), "error without privacy");
    page.facts(facts);
  }

  private static void addShare(List<HtmlPage.Fact> facts, @Nullable Object share, String name) {
    if (share instanceof Number number) {
      String percent = Numbers.nearest(100 * number.doubleValue(), 3) + " %";
      facts.add(new HtmlPage.Fact(percent, name, "on test records; " + NOT_PRIVATE));
    }
  }

  private static void addNumber(List<HtmlPage.Fact> facts, @Nullable Object value, String name) {
    if (value instanceof Number number) {
      String text = Numbers.nearest(number.doubleValue(), 4);
      facts.add(new HtmlPage.Fact(text, name, "on test records; " + NOT_PRIVATE));
    }
  }

  /** What was measured on test records; nothing if there were none or the run is not finished. */
  private Map<?, ?> test() {
    return object("results.json").get("test") instanceof Map<?, ?> test ? test : Map.of();
  }

  /** A file that only a finished run has; empty if there is none. */
  private Map<?, ?> object(String name) {
    try {
      return Files.isRegularFile(run.file(name)) ? Json.readObject(run.text(name)) : Map.of();
    } catch (IllegalArgumentException e) {
      throw new DamagedRun(
          run.file(name) + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  private void cost() {
    Executed executed = statement.executed();
    if (statement.refusal() != null || executed.steps() == 0) {
      return;
    }
    page.heading("The cost over the steps");
    page.figure(
        new Figure(
            "Epsilon of the run over its steps, at delta " + statement.delta(),
            "The thick line is the guarantee. Solid lines are proven upper bounds, dashed ones are"
                + " not: they reproduce printed formulas or are approximations.",
            new Figure.Axis("steps", false),
            new Figure.Axis("epsilon", true),
            Curve.lines(statement.answer().question(), executed, POINTS)));
  }

  private void learning() {
    List<Metrics.Row> rows = Metrics.read(run);
    if (rows.isEmpty()) {
      return;
    }
    page.heading("Learning curves (" + NOT_PRIVATE + ")");
    learning(rows, 0, "accuracy");
    learning(rows, 1, "log loss");
    learning(rows, 2, "root mean square error");
  }

  private void learning(List<Metrics.Row> rows, int column, String name) {
    List<Figure.Point> points = new ArrayList<>();
    for (Metrics.Row row : rows) {
      Double value = row.values().get(column);
      if (value != null) {
        points.add(new Figure.Point(row.steps(), value));
      }
    }
    if (points.isEmpty()) {
      return;
    }
    page.figure(
        new Figure(
            "On test records, " + NOT_PRIVATE + ": " + name + " over the steps",
            "Computed from records without noise: "
                + NOT_PRIVATE
                + ", and no part of the"
                + " statement. Choosing a step or a setting by it costs privacy that is not"
                + " counted if these records are to be protected too.",
            new Figure.Axis("steps", false),
            new Figure.Axis(name, false),
            List.of(
                new Figure.Line(name + ", " + NOT_PRIVATE, Figure.Look.UNPROVEN, column, points))));
  }

  private void plan() {
    TrainingPlan plan = statement.plan();
    PrivacyPlan privacy = plan.privacy();
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("population", Numbers.grouped(privacy.population()));
    rows.put("expected batch", Numbers.brief(privacy.expectedBatch()));
    rows.put("sampling rate", Numbers.brief(privacy.samplingRate()));
    rows.put("steps", Numbers.grouped(privacy.steps()));
    rows.put("epochs", Numbers.nearest(privacy.epochs(), 4));
    rows.put("noise multiplier", Numbers.brief(privacy.noiseMultiplier()));
    PrivacyBudget budget = plan.budget();
    if (budget != null) {
      rows.put(
          "planned for",
          "epsilon %s at delta %s"
              .formatted(Numbers.plain(budget.epsilon()), Numbers.plain(budget.delta())));
    }
    rows.put("clipping", PlanText.clipping(plan));
    rows.put("optimizer", PlanText.optimiser(plan));
    rows.put("weight decay", decay(plan.weightDecay()));
    page.heading("The plan")
        .paragraph("Decided before any record was touched; the run could not deviate from it.")
        .table(pairs("setting", rows));
  }

  private static String decay(WeightDecay decay) {
    return decay.lambda() == 0
        ? "none"
        : Numbers.brief(decay.lambda())
            + ", "
            + decay.place().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void provenance() {
    RunInfo info = statement.info();
    Head head = statement.executed().ledger().head();
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("made by", "Sordino " + info.version());
    rows.put("started", info.started());
    rows.put("run", statement.executed().ledger().header().run());
    rows.put("ledger head", head.lines() + " lines, chain " + head.chain());
    rows.put("data", statement.dataName());
    rows.put("label", label());
    rows.put("model", model());
    page.heading("Provenance").table(pairs("what", rows)).command(info.command());
  }

  private static Table pairs(String what, Map<String, String> rows) {
    return new Table(
        List.of(what, "value"),
        rows.entrySet().stream().map(row -> List.of(row.getKey(), row.getValue())).toList());
  }

  private void next() {
    String folder = Objects.requireNonNullElse(run.path().getFileName(), run.path()).toString();
    page.heading("What to do next")
        .paragraph("In the directory above this one:")
        .command("sordino account --ledger " + folder + "/ledger.jsonl")
        .command("sordino predict --run " + folder + " --data new.csv --out scores.csv")
        .command("sordino evaluate --run " + folder + " --data test.csv")
        .paragraph("Beside this page:");
    Map<String, String> files = new LinkedHashMap<>();
    files.put(Statement.FILE, "the guarantee in words, to pass on");
    files.put("ledger.jsonl", "what was done to the records, to recompute the guarantee from");
    files.put("plan.json", "what was decided before, in the form that --plan reads");
    files.put("model.safetensors", "the model, which Python loads as it is");
    files.put("metrics.csv", "the learning curves; " + NOT_PRIVATE);
    page.links(files);
  }

  /** The kind of model, which only a finished run has noted; the kind of task otherwise. */
  private String model() {
    String task = String.valueOf(statement.info().task().getOrDefault("task", "unknown"));
    Object model = object("model.json").get("model");
    return model instanceof Map<?, ?> map && map.get("kind") != null
        ? map.get("kind") + " on a " + task
        : task;
  }

  private String label() {
    Object schema = statement.info().task().get("schema");
    Object label = schema instanceof Map<?, ?> map ? map.get("label") : null;
    Object column = label instanceof Map<?, ?> map ? map.get("column") : null;
    return column == null ? "the records" : column.toString();
  }
}
