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
import org.sordino.mechanism.Mechanism;
import org.sordino.table.Schema;
import org.sordino.training.TrainingPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino plan}: what a run will cost before any training, and which knob buys what. */
@Command(
    name = "plan",
    description = "What a training run will cost, and what each knob buys; trains nothing.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Takes the options of 'sordino train'. With --schema and --population no record is read.",
      "",
      "Examples:",
      "  sordino plan",
      "  sordino plan --data people.csv --label employed --epsilon 1",
      "  sordino plan --data people.csv --schema schema.json --population 25766 --epsilon 1 \\",
      "      --batch 2000 --epochs 40 --json"
    })
final class PlanCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private DataOptions data;

  @Mixin private TrainOptions options;

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  /**
   * A plan that differs in one knob.
   *
   * @param change what is different
   * @param epsilon at the same noise multiplier
   * @param noise of the average gradient, in units of the clipping bound, for the same epsilon
   */
  private record Knob(String change, double epsilon, double noise) {}

  @Override
  public Integer call() {
    TableTask.Table table = data.table();
    options.check();
    Schema schema = data.schema(table);
    Long declared = options.population();
    long population =
        declared == null
            ? TableTask.read(table, schema).records()
            : Math.max(1, Math.round(declared * (1 - table.holdout())));
    TrainingPlan plan =
        options.plan(TableTask.model(schema).layout(), population, Defaults.ofTable(population), 1);
    double epsilon = epsilon(plan.privacy());
    List<Knob> knobs = knobs(plan.privacy(), epsilon);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(json(plan, epsilon, knobs)));
    } else {
      print(out, schema, plan, epsilon, knobs, declared != null);
    }
    return Main.OK;
  }

  private double epsilon(PrivacyPlan plan) {
    PrivacyEvent event = plan.event();
    return TightAccountant.of(plan.neighbouring()).epsilonBracket(event, options.delta()).upper();
  }

  private List<Knob> knobs(PrivacyPlan plan, double epsilon) {
    List<Knob> knobs = new ArrayList<>();
    knobs.add(knob("as planned", plan, 1, 1, 1, epsilon));
    if (plan.noiseMultiplier() > 0) {
      knobs.add(knob("twice the noise", plan, 2, 1, 1, epsilon));
      knobs.add(knob("half the noise", plan, 0.5, 1, 1, epsilon));
      knobs.add(knob("twice the steps", plan, 1, 2, 1, epsilon));
      knobs.add(knob("half the steps", plan, 1, 0.5, 1, epsilon));
      knobs.add(knob("twice the batch", plan, 1, 1, 2, epsilon));
      knobs.add(knob("half the batch", plan, 1, 1, 0.5, epsilon));
    }
    return knobs;
  }

  private Knob knob(
      String change, PrivacyPlan plan, double noise, double steps, double batch, double epsilon) {
    PrivacyPlan other =
        new PrivacyPlan(
            plan.population(),
            Math.min(plan.population(), plan.expectedBatch() * batch),
            Math.max(1, Math.round(plan.steps() * steps)),
            plan.noiseMultiplier() * noise,
            plan.neighbouring());
    double multiplier = other.noiseMultiplier();
    if (noise == 1 && epsilon < Double.POSITIVE_INFINITY) {
      PrivacyBudget same = new PrivacyBudget(epsilon, options.delta());
      multiplier =
          Calibration.of(TightAccountant.of(plan.neighbouring()), same)
              .noiseMultiplier(other.samplingRate(), other.steps());
    }
    return new Knob(change, epsilon(other), multiplier / other.expectedBatch());
  }

  private void print(
      PrintWriter out,
      Schema schema,
      TrainingPlan plan,
      double epsilon,
      List<Knob> knobs,
      boolean declared) {
    RunInfo info =
        new RunInfo(
            "",
            "",
            "",
            options.delta(),
            declared || data.isDemo(),
            !schema.drafted(),
            false,
            null,
            Map.of());
    PlanText.print(out, "plan for " + schema.requireLabel().column(), plan, info);
    out.printf(
        "It will cost epsilon %s at delta %s: %s per epoch on average.%n%n",
        Numbers.up(epsilon, 5),
        Numbers.plain(options.delta()),
        Numbers.nearest(epsilon / plan.privacy().epochs(), 3));
    out.println("  change            epsilon at this noise   noise on the average, same epsilon");
    for (Knob knob : knobs) {
      out.printf(
          "  %-16s %22s   %s%n",
          knob.change(),
          Numbers.up(knob.epsilon(), 5),
          knob.change().endsWith("noise") ? "" : Numbers.nearest(knob.noise(), 4) + " S");
    }
    out.println();
    if (plan.privacy().noiseMultiplier() > 0) {
      printGroups(out, plan.mechanism());
    }
    out.println("The clipping bound S changes no epsilon: noise is a multiple of it.");
  }

  private static void printGroups(PrintWriter out, Mechanism mechanism) {
    out.println("  group             bound S      noise on the sum   share of the cost");
    for (int g = 0; g < mechanism.groups().size(); g++) {
      double ratio =
          mechanism.groups().get(g).bound()
              * mechanism.noiseMultiplier()
              / mechanism.groupDeviation(g);
      out.printf(
          "  %-16s  %-11s  %-17s  %s %%%n",
          mechanism.groups().get(g).name(),
          Numbers.brief(mechanism.groups().get(g).bound()),
          Numbers.brief(mechanism.groupDeviation(g)),
          Numbers.nearest(100 * ratio * ratio, 3));
    }
    out.println();
  }

  private Map<String, @Nullable Object> json(TrainingPlan plan, double epsilon, List<Knob> knobs) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", epsilon == Double.POSITIVE_INFINITY ? "Infinity" : epsilon);
    json.put("delta", options.delta());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("samplingRate", plan.privacy().samplingRate());
    json.put("steps", plan.privacy().steps());
    json.put("epochs", plan.privacy().epochs());
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (Knob knob : knobs) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("change", knob.change());
      row.put("epsilon", knob.epsilon() == Double.POSITIVE_INFINITY ? "Infinity" : knob.epsilon());
      row.put("noiseOnAverage", knob.noise());
      rows.add(row);
    }
    json.put("knobs", rows);
    json.put("plan", Json.readObject(plan.toJson()));
    return json;
  }
}
