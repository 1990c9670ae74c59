package org.sordino.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Head;
import org.sordino.ledger.Realized;
import org.sordino.report.CostCurves;
import org.sordino.report.Decimals;
import org.sordino.report.ExecutedRun;
import org.sordino.report.Figure;
import org.sordino.report.HtmlPage;
import org.sordino.report.TextTable;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;

/**
 * The report of a run: one HTML page with statement, figures, plan and provenance. Unlike the
 * statement, it shows numbers that are not private and marks each of them.
 */
final class RunReport {

  /**
   * Number of points on a cost curve. The accountant may need a second for each of them, so more
   * points would delay the report.
   */
  private static final int POINTS = 24;

  private static final int COLORS = 6;
  private static final int MOST_POINTS = 500;

  static final String FILE = "report.html";

  private static final String NOT_PRIVATE = "not private";

  private final RunDirectory run;
  private final PrivacyStatement statement;
  private final HtmlPage page;

  private RunReport(RunDirectory run) {
    this.run = run;
    this.statement = PrivacyStatement.of(run);
    this.page = new HtmlPage("Private model of " + label());
  }

  static HtmlPage of(RunDirectory run) {
    RunReport report = new RunReport(run);
    report.headline();
    report.statement.prose().addTo(report.page);
    report.cost();
    report.released();
    report.bounds();
    report.learning();
    report.plan();
    report.provenance();
    report.next();
    return report.page;
  }

  private void headline() {
    List<HtmlPage.Fact> facts = new ArrayList<>();
    boolean stated = statement.refusal().isEmpty();
    facts.add(
        new HtmlPage.Fact(
            stated ? statement.epsilon() : "none",
            "epsilon",
            stated ? "certified upper bound, from the ledger" : "no guarantee"));
    if (stated) {
      facts.add(
          new HtmlPage.Fact(
              statement.delta(), "delta", "probability that the epsilon bound fails"));
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
      String percent = Decimals.nearest(100 * number.doubleValue(), 3) + "%";
      facts.add(new HtmlPage.Fact(percent, name, "on test records; " + NOT_PRIVATE));
    }
  }

  private static void addNumber(List<HtmlPage.Fact> facts, @Nullable Object value, String name) {
    if (value instanceof Number number) {
      String text = Decimals.nearest(number.doubleValue(), 4);
      facts.add(new HtmlPage.Fact(text, name, "on test records; " + NOT_PRIVATE));
    }
  }

  /** Returns the results on test records; empty if there are none or the run is unfinished. */
  private Map<?, ?> test() {
    return run.json(RunDirectory.RESULTS).get("test") instanceof Map<?, ?> test ? test : Map.of();
  }

  private void cost() {
    ExecutedRun executed = statement.executed();
    if (statement.refusal().isPresent() || executed.steps() == 0) {
      return;
    }
    page.heading("Privacy cost over the steps");
    page.figure(
        new Figure(
            "Epsilon after each step, at delta " + statement.delta(),
            "The thick line is the guarantee. Solid lines are proven upper bounds. Dashed lines are"
                + " not bounds: they are approximations or formulas as printed in papers.",
            new Figure.Axis("steps", false),
            new Figure.Axis("epsilon", true),
            CostCurves.lines(statement.comparison().solveFor(), executed, POINTS)));
  }

  /** Private metrics: released with noise in every step, covered by the guarantee. */
  private void released() {
    PrivateMetricsFile metrics = new PrivateMetricsFile(run, statement.plan());
    if (metrics.isEmpty() || metrics.last().isEmpty()) {
      return;
    }
    page.heading("Private metrics");
    Map<String, List<Figure.Line>> figures = new LinkedHashMap<>();
    metrics
        .curves()
        .forEach(
            (name, points) -> {
              List<Figure.Line> lines =
                  figures.computeIfAbsent(name.replaceFirst(" .*", ""), kind -> new ArrayList<>());
              lines.add(new Figure.Line(name, Figure.Look.MEASURED, lines.size() % COLORS, points));
            });
    figures.forEach(
        (kind, lines) ->
            page.figure(
                new Figure(
                    "Private " + kind + " on training records over the steps",
                    "Released with noise and included in the guarantee, so it may be published and"
                        + " used to choose settings. Each point is the average over the steps since"
                        + " the previous point.",
                    new Figure.Axis("steps", false),
                    new Figure.Axis(kind, false),
                    lines)));
  }

  /** With adaptive clipping: the bounds of all steps, as recorded in the ledger. */
  private void bounds() {
    if (statement.plan().adaptive() == null) {
      return;
    }
    Map<String, List<Figure.Point>> curves = new LinkedHashMap<>();
    for (int g : statement.plan().mechanism().gradientGroups()) {
      curves.put(statement.plan().mechanism().groups().get(g).name(), new ArrayList<>());
    }
    for (Entry entry : statement.executed().ledger().entries()) {
      if (entry instanceof Entry.RealizedEntry realized) {
        for (Realized group : realized.groups()) {
          List<Figure.Point> points = curves.get(group.group());
          if (points != null) {
            points.add(new Figure.Point(realized.step(), group.bound()));
          }
        }
      }
    }
    List<Figure.Line> lines = new ArrayList<>();
    curves.forEach(
        (name, points) ->
            lines.add(
                new Figure.Line(
                    name, Figure.Look.MEASURED, lines.size() % COLORS, thinned(points))));
    page.figure(
        new Figure(
            "Clipping bound over the steps",
            "The bound is computed from a noisy estimate of the share of records below it, so it is"
                + " covered by the guarantee. The ratio of noise to bound is constant, so the"
                + " privacy cost does not depend on the bound.",
            new Figure.Axis("steps", false),
            new Figure.Axis("bound", true),
            lines));
  }

  private static List<Figure.Point> thinned(List<Figure.Point> points) {
    int every = Math.max(1, points.size() / MOST_POINTS);
    return IntStream.range(0, points.size())
        .filter(i -> i % every == 0 || i == points.size() - 1)
        .mapToObj(points::get)
        .toList();
  }

  private void learning() {
    List<TestMetricsFile.Row> rows = TestMetricsFile.read(run);
    if (rows.isEmpty()) {
      return;
    }
    page.heading("Learning curves (" + NOT_PRIVATE + ")");
    learning(rows, 0, "accuracy");
    learning(rows, 1, "log loss");
    learning(rows, 2, "root mean square error");
  }

  private void learning(List<TestMetricsFile.Row> rows, int column, String name) {
    List<Figure.Point> points = new ArrayList<>();
    for (TestMetricsFile.Row row : rows) {
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
            "%s on test records (%s) over the steps"
                .formatted(
                    name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1), NOT_PRIVATE),
            "Computed from the test records without noise: "
                + NOT_PRIVATE
                + " and not part of the statement. If the test records need protection too, do not"
                + " choose a step or a setting by this curve: the privacy cost of such a choice is"
                + " not counted.",
            new Figure.Axis("steps", false),
            new Figure.Axis(name, false),
            List.of(
                new Figure.Line(name + ", " + NOT_PRIVATE, Figure.Look.UNPROVEN, column, points))));
  }

  private void plan() {
    TrainingPlan plan = statement.plan();
    PrivacyPlan privacy = plan.privacy();
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("neighboring data sets", plan.unit().protection(privacy.neighboring()));
    rows.put("population", Decimals.grouped(privacy.population()));
    rows.put("expected batch size", Decimals.brief(privacy.expectedBatch()));
    rows.put("sampling rate", Decimals.brief(privacy.samplingRate()));
    rows.put("steps", Decimals.grouped(privacy.steps()));
    rows.put("epochs", Decimals.nearest(privacy.epochs(), 4));
    rows.put("noise multiplier", Decimals.brief(privacy.noiseMultiplier()));
    PrivacyBudget budget = plan.budget();
    if (budget != null) {
      rows.put(
          "planned for",
          "epsilon %s at delta %s"
              .formatted(Decimals.plain(budget.epsilon()), Decimals.plain(budget.delta())));
    }
    rows.put("clipping", PlanSummary.clipping(plan));
    rows.put("optimizer", PlanSummary.optimizer(plan));
    rows.put("weight decay", decay(plan.weightDecay()));
    for (PrivateQuery query : plan.queries()) {
      rows.put(
          "private query before training: " + PlanSummary.displayName(query.name()),
          "noise multiplier "
              + Decimals.brief(query.mechanism().noiseMultiplier())
              + ", epsilon "
              + Decimals.up(alone(query), 3)
              + " on its own");
    }
    page.heading("Plan")
        .paragraph("Fixed before the first step; the run cannot deviate from it.")
        .table(pairs("setting", rows));
  }

  private double alone(PrivateQuery query) {
    return TightAccountant.of(statement.plan().privacy().neighboring())
        .epsilonBracket(query.event(), statement.info().delta())
        .upper();
  }

  private static String decay(WeightDecay decay) {
    return decay.lambda() == 0
        ? "none"
        : Decimals.brief(decay.lambda())
            + ", "
            + decay.place().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void provenance() {
    RunInfo info = statement.info();
    Head head = statement.executed().ledger().head();
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("software", "Sordino " + info.version());
    rows.put("started", info.started());
    rows.put("run", statement.executed().ledger().header().run());
    rows.put("ledger head", head.describe());
    rows.put("data", statement.dataName());
    rows.put("label", label());
    rows.put("model", model());
    page.heading("Provenance").table(pairs("item", rows)).command(info.command());
  }

  private static TextTable pairs(String name, Map<String, String> rows) {
    return new TextTable(
        List.of(name, "value"),
        rows.entrySet().stream().map(row -> List.of(row.getKey(), row.getValue())).toList());
  }

  private void next() {
    String folder = Objects.requireNonNullElse(run.path().getFileName(), run.path()).toString();
    page.heading("Next steps")
        .paragraph("Run these commands in the parent folder of the run directory:")
        .command(
            "sordino account --ledger %s/ledger.jsonl --delta %s"
                .formatted(folder, statement.delta()))
        .command("sordino predict --run " + folder + " --data new.csv --out scores.csv")
        .command("sordino evaluate --run " + folder + " --data test.csv")
        .paragraph("Files of this run:");
    Map<String, String> files = new LinkedHashMap<>();
    files.put(PrivacyStatement.FILE, "the guarantee in words, with what it does not cover");
    files.put(
        "ledger.jsonl",
        "the record of every private step, from which anyone can recompute the guarantee");
    files.put("plan.json", "all settings of the run, in the format of the option --plan");
    files.put("model.safetensors", "the model, also readable with Python's safetensors");
    if (!statement.plan().metrics().isEmpty()) {
      files.put(PrivateMetricsFile.FILE, "the private metrics");
    }
    files.put("metrics.csv", "the learning curves; " + NOT_PRIVATE);
    page.links(files);
  }

  /** Returns the kind of model, which only a finished run records; otherwise the kind of task. */
  private String model() {
    String task = statement.info().task().kind();
    Object model = run.json(RunDirectory.MODEL).get("model");
    return model instanceof Map<?, ?> map && map.get("kind") != null
        ? map.get("kind") + ", task " + task
        : task;
  }

  private String label() {
    String column = statement.info().task().label();
    return column == null ? "the records" : column;
  }
}
