package org.sordino.cli;

import java.io.PrintWriter;
import java.util.List;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Optimiser;
import org.sordino.training.TrainingPlan;

/** A plan in a few lines. */
final class PlanText {

  private PlanText() {}

  static void print(PrintWriter out, String model, TrainingPlan plan, RunInfo info) {
    PrivacyPlan privacy = plan.privacy();
    out.println(model);
    out.printf(
        "  records    %s%s%n",
        Numbers.grouped(privacy.population()),
        info.populationDeclared() ? ", declared" : ", counted in the file, which is not private");
    out.printf(
        "  steps      %s, each with %s records on average: %s epochs%n",
        Numbers.grouped(privacy.steps()),
        Numbers.brief(privacy.expectedBatch()),
        Numbers.nearest(privacy.epochs(), 3));
    out.printf("  clipping   %s%n", clipping(plan));
    out.printf("  optimizer  %s%n", optimiser(plan));
    out.printf(
        "  noise      multiplier %s%s%n", Numbers.brief(privacy.noiseMultiplier()), price(plan));
    if (!info.schemaDeclared()) {
      out.println("  schema     taken from the records, outside the guarantee");
    }
    out.println();
  }

  private static String price(TrainingPlan plan) {
    PrivacyBudget budget = plan.budget();
    return budget == null
        ? ""
        : ", for epsilon %s at delta %s"
            .formatted(Numbers.plain(budget.epsilon()), Numbers.plain(budget.delta()));
  }

  static String clipping(TrainingPlan plan) {
    List<VectorGroup> groups = plan.mechanism().groups();
    if (groups.size() > 1) {
      return groups.size() + " groups";
    }
    VectorGroup group = groups.get(0);
    return (group.gamma() > 0 ? "automatic to norm " : "to norm ") + Numbers.brief(group.bound());
  }

  static String optimiser(TrainingPlan plan) {
    String name;
    if (plan.optimiser() instanceof Optimiser.Sgd sgd) {
      name = "sgd with momentum " + Numbers.brief(sgd.momentum());
    } else if (plan.optimiser() instanceof Optimiser.Adam adam && adam.noiseCorrection()) {
      name = "adam corrected for noise";
    } else {
      name = "adam";
    }
    return "%s, learning rate %s %s%s"
        .formatted(
            name,
            Numbers.brief(plan.optimiser().learningRate()),
            plan.schedule().shape().name().toLowerCase(java.util.Locale.ROOT),
            plan.averaging() > 0 ? ", averaged" : "");
  }
}
