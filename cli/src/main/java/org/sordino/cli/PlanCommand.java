package org.sordino.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.Decimals;
import org.sordino.run.PlanSummary;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino plan}: shows the privacy cost of a run and the effect of its settings. */
@Command(
    name = "plan",
    description =
        "Show the privacy cost of a training run and how each setting changes it, without training",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Accepts the options of 'sordino train' for data, model and plan. With --schema and",
      "--population, no record is read. With --epsilon, --noise-multiplier and one of --batch and",
      "--steps, the other one is computed.",
      "",
      "Examples:",
      "  sordino plan",
      "  sordino plan --data people.csv --label employed --epsilon 1",
      "  sordino plan --data people.csv --schema schema.json --population 25766 --epsilon 1 \\",
      "      --batch 2000 --epochs 40 --json",
      "  sordino plan --data mnist --population 60000 --epsilon 3 --metrics loss,accuracy"
          + " --normalize",
      "  sordino plan --data mnist --population 60000 --epsilon 3 --noise-multiplier 1 --batch 600"
    })
final class PlanCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private JobOptions job;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  /**
   * The effect of changing one setting of a plan.
   *
   * @param change description of the change
   * @param epsilon epsilon at the same noise multiplier
   * @param noise standard deviation of the noise on the average gradient at the same epsilon, in
   *     units of the clipping bound
   */
  private record Variation(String change, double epsilon, double noise) {}

  @Override
  public Integer call() {
    job.check();
    Task task = job.task(0);
    Training training = job.training(task);
    TrainingPlan plan = training.plan();
    double epsilon = epsilon(plan.privacy(), plan.queries());
    List<Variation> variations = variations(plan, epsilon);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(json(task, training, plan, epsilon, variations)));
    } else {
      print(out, task, training, plan, epsilon, variations);
    }
    return Main.OK;
  }

  private double delta() {
    return job.options.parsed().delta();
  }

  private double epsilon(PrivacyPlan plan, List<PrivateQuery> queries) {
    PrivacyEvent event = PrivateQuery.compose(queries, plan.event());
    return TightAccountant.of(plan.neighboring()).epsilonBracket(event, delta()).upper();
  }

  private List<Variation> variations(TrainingPlan plan, double epsilon) {
    List<Variation> variations = new ArrayList<>();
    variations.add(variation("as planned", plan, 1, 1, 1, epsilon));
    if (plan.privacy().noiseMultiplier() > 0) {
      variations.add(variation("twice the noise", plan, 2, 1, 1, epsilon));
      variations.add(variation("half the noise", plan, 0.5, 1, 1, epsilon));
      variations.add(variation("twice the steps", plan, 1, 2, 1, epsilon));
      variations.add(variation("half the steps", plan, 1, 0.5, 1, epsilon));
      variations.add(variation("twice the batch", plan, 1, 1, 2, epsilon));
      variations.add(variation("half the batch", plan, 1, 1, 0.5, epsilon));
      variations.addAll(withoutMetrics(plan, epsilon));
      variations.addAll(withoutQueries(plan, epsilon));
    }
    return variations;
  }

  private Variation variation(
      String change, TrainingPlan plan, double noise, double steps, double batch, double epsilon) {
    PrivacyPlan own = plan.privacy();
    PrivacyPlan other =
        new PrivacyPlan(
            own.population(),
            Math.min(own.population(), own.expectedBatch() * batch),
            Math.max(1, Math.round(own.steps() * steps)),
            own.noiseMultiplier() * noise,
            own.neighboring());
    double multiplier = other.noiseMultiplier();
    if (noise == 1) {
      multiplier = multiplier(other, plan.queries(), epsilon);
    }
    return new Variation(
        change, epsilon(other, plan.queries()), onAverage(multiplier, gradientShare(plan), other));
  }

  /** Returns the noise multiplier at which a plan costs the given epsilon. */
  private double multiplier(PrivacyPlan plan, List<PrivateQuery> queries, double epsilon) {
    if (!(epsilon > 0 && epsilon < Double.POSITIVE_INFINITY)) {
      return plan.noiseMultiplier();
    }
    PrivacyBudget same = new PrivacyBudget(epsilon, delta());
    return Calibration.of(TightAccountant.of(plan.neighboring()), same)
        .noiseMultiplier(
            z ->
                PrivateQuery.compose(
                    queries,
                    new PrivacyEvent.SampledGaussian(plan.samplingRate(), z).times(plan.steps())));
  }

  /**
   * Returns the share of a step's privacy budget for gradients; the rest is for metrics and
   * statistics.
   */
  private static double gradientShare(TrainingPlan plan) {
    double share = 1;
    for (int g = 0; g < plan.mechanism().groups().size(); g++) {
      if (!isGradient(plan, g) && plan.privacy().noiseMultiplier() > 0) {
        share -= plan.mechanism().share(g);
      }
    }
    return share;
  }

  private static boolean isGradient(TrainingPlan plan, int group) {
    return plan.mechanism().groups().get(group).isGradient(plan.mechanism().layout());
  }

  private static double onAverage(double multiplier, double gradientShare, PrivacyPlan plan) {
    return multiplier / Math.sqrt(gradientShare) / plan.expectedBatch();
  }

  /**
   * Returns the effect of leaving out each metric. Epsilon stays the same, because gradients get
   * the share of the metric.
   */
  private static List<Variation> withoutMetrics(TrainingPlan plan, double epsilon) {
    List<Variation> variations = new ArrayList<>();
    Layout layout = plan.mechanism().layout();
    List<String> metrics =
        layout.vectors(Layout.Role.METRIC).stream().map(Layout.Vector::name).toList();
    for (int g = 0; g < plan.mechanism().groups().size(); g++) {
      VectorGroup group = plan.mechanism().groups().get(g);
      if (metrics.containsAll(group.vectors())) {
        double share = gradientShare(plan) + plan.mechanism().share(g);
        double noise = onAverage(plan.privacy().noiseMultiplier(), share, plan.privacy());
        variations.add(new Variation("without " + group.name(), epsilon, noise));
      }
    }
    return variations;
  }

  private List<Variation> withoutQueries(TrainingPlan plan, double epsilon) {
    List<Variation> variations = new ArrayList<>();
    for (PrivateQuery query : plan.queries()) {
      List<PrivateQuery> others =
          plan.queries().stream().filter(other -> !other.equals(query)).toList();
      double multiplier = multiplier(plan.privacy(), others, epsilon);
      variations.add(
          new Variation(
              "without " + query.name(),
              epsilon(plan.privacy(), others),
              onAverage(multiplier, gradientShare(plan), plan.privacy())));
    }
    return variations;
  }

  private void print(
      PrintWriter out,
      Task task,
      Training training,
      TrainingPlan plan,
      double epsilon,
      List<Variation> variations) {
    PlanSummary.lines(
            "plan for " + task.describe(),
            plan,
            training.populationDeclared(),
            task.schemaDeclared())
        .forEach(out::println);
    out.println();
    out.printf(
        "Privacy cost: epsilon %s at delta %s, on average %s per epoch%n%n",
        Decimals.up(epsilon, 5),
        Decimals.plain(delta()),
        Decimals.nearest(epsilon / plan.privacy().epochs(), 3));
    out.println(
        "  change                    epsilon at this noise   noise on the average gradient");
    out.println("                                                    at the same epsilon");
    for (Variation variation : variations) {
      out.printf(
          "  %-24s %22s   %s%n",
          PlanSummary.displayName(variation.change()),
          Decimals.up(variation.epsilon(), 5),
          variation.change().endsWith(" noise")
              ? ""
              : Decimals.nearest(variation.noise(), 4) + " S");
    }
    out.println();
    if (plan.privacy().noiseMultiplier() > 0) {
      printGroups(out, plan);
      printQueries(out, plan, epsilon);
    }
    out.println(
        "The clipping bound S does not change epsilon, because the noise is a multiple of S.");
  }

  private static void printGroups(PrintWriter out, TrainingPlan plan) {
    Mechanism mechanism = plan.mechanism();
    out.println("  group             bound S      noise on the sum   share of step      vectors");
    for (int g = 0; g < mechanism.groups().size(); g++) {
      VectorGroup group = mechanism.groups().get(g);
      out.printf(
          "  %-16s  %-11s  %-17s  %-17s  %s%n",
          group.name(),
          Decimals.brief(group.bound()),
          Decimals.brief(mechanism.groupDeviation(g)),
          PlanSummary.share(mechanism, g),
          String.join(", ", group.vectors()));
    }
    out.println();
  }

  private void printQueries(PrintWriter out, TrainingPlan plan, double epsilon) {
    if (plan.queries().isEmpty()) {
      return;
    }
    out.println("  query before training   noise multiplier   epsilon alone   marginal epsilon");
    for (PrivateQuery query : plan.queries()) {
      List<PrivateQuery> others =
          plan.queries().stream().filter(other -> !other.equals(query)).toList();
      out.printf(
          "  %-22s  %-17s  %-14s  %s%n",
          PlanSummary.displayName(query.name()),
          Decimals.brief(query.mechanism().noiseMultiplier()),
          Decimals.up(alone(plan, query), 3),
          Decimals.nearest(epsilon - epsilon(plan.privacy(), others), 3));
    }
    out.println();
  }

  private double alone(TrainingPlan plan, PrivateQuery query) {
    return TightAccountant.of(plan.privacy().neighboring())
        .epsilonBracket(query.event(), delta())
        .upper();
  }

  private Map<String, @Nullable Object> json(
      Task task, Training training, TrainingPlan plan, double epsilon, List<Variation> variations) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", number(epsilon));
    json.put("delta", delta());
    json.put("unit", plan.unit().noun());
    json.put("protects", plan.unit().protection(plan.privacy().neighboring()));
    json.put("populationDeclared", training.populationDeclared());
    json.put("schemaDeclared", task.schemaDeclared());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("samplingRate", plan.privacy().samplingRate());
    json.put("steps", plan.privacy().steps());
    json.put("epochs", plan.privacy().epochs());
    json.put("epsilonPerEpoch", number(epsilon / plan.privacy().epochs()));
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (Variation variation : variations) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("change", variation.change());
      row.put("epsilon", number(variation.epsilon()));
      row.put("noiseOnAverage", variation.noise());
      rows.add(row);
    }
    json.put("knobs", rows);
    json.put("groups", groups(plan));
    json.put("questions", queries(plan));
    json.put("plan", Json.readObject(plan.toJson()));
    return json;
  }

  private static List<Map<String, @Nullable Object>> groups(TrainingPlan plan) {
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    Mechanism mechanism = plan.mechanism();
    for (int g = 0; g < mechanism.groups().size(); g++) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("name", mechanism.groups().get(g).name());
      row.put("vectors", mechanism.groups().get(g).vectors());
      row.put("bound", number(mechanism.groups().get(g).bound()));
      row.put("deviation", mechanism.groupDeviation(g));
      row.put("share", mechanism.noiseMultiplier() == 0 ? null : mechanism.share(g));
      rows.add(row);
    }
    return rows;
  }

  private List<Map<String, @Nullable Object>> queries(TrainingPlan plan) {
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (PrivateQuery query : plan.queries()) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("name", query.name());
      row.put("noiseMultiplier", query.mechanism().noiseMultiplier());
      row.put("epsilonAlone", number(alone(plan, query)));
      rows.add(row);
    }
    return rows;
  }

  private static Object number(double value) {
    return value == Double.POSITIVE_INFINITY ? "Infinity" : value;
  }
}
