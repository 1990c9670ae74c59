package org.sordino.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Optimiser;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** A plan in a few lines. */
final class PlanText {

  private PlanText() {}

  static void print(PrintWriter out, String model, TrainingPlan plan, RunInfo info) {
    PrivacyPlan privacy = plan.privacy();
    out.println(model);
    out.printf(
        "  records    %s%s%s%n",
        Numbers.grouped(privacy.population()),
        unit(plan.unit()),
        info.populationDeclared() ? ", declared" : ", counted in the file, which is not private");
    out.printf("  protects   %s%n", plan.unit().protection(privacy.neighbouring()));
    out.printf(
        "  steps      %s, each with %s records on average: %s epochs%n",
        Numbers.grouped(privacy.steps()),
        Numbers.brief(privacy.expectedBatch()),
        Numbers.nearest(privacy.epochs(), 3));
    out.printf("  clipping   %s%n", clipping(plan));
    out.printf("  optimizer  %s%n", optimiser(plan));
    out.printf(
        "  noise      multiplier %s%s%n", Numbers.brief(privacy.noiseMultiplier()), price(plan));
    if (!plan.metrics().isEmpty()) {
      out.printf("  metrics    %s, private%n", metrics(plan));
    }
    for (PrivateQuery query : plan.queries()) {
      out.printf(
          "  asks       %s of all records, with noise multiplier %s%n",
          query.name(), Numbers.brief(query.mechanism().noiseMultiplier()));
    }
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

  private static String unit(Unit unit) {
    return switch (unit.kind()) {
      case EXAMPLE -> "";
      case MICROBATCH -> " slots of " + unit.examples() + " examples on average";
      case USER -> " users with at most " + unit.examples() + " examples each";
      case USER_UPDATE ->
          " users who train at home on at most " + unit.examples() + " examples each";
    };
  }

  private static String metrics(TrainingPlan plan) {
    return plan.metrics().stream()
        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  /** How gradients are bounded. */
  static String clipping(TrainingPlan plan) {
    int[] groups = plan.mechanism().gradientGroups();
    String adaptive =
        plan.adaptive() == null
            ? ""
            : ", from there to where a share of %s is within it"
                .formatted(Numbers.brief(plan.adaptive().quantile()));
    if (groups.length > 1) {
      return groups.length + " groups" + adaptive;
    }
    VectorGroup group = plan.mechanism().groups().get(groups[0]);
    String rule = group.gamma() > 0 ? "automatic to norm " : "to norm ";
    return rule + Numbers.brief(group.bound()) + adaptive;
  }

  /** What a group has of the cost of a step. */
  static String share(Mechanism mechanism, int group) {
    return mechanism.noiseMultiplier() == 0
        ? "none"
        : Numbers.nearest(100 * mechanism.share(group), 3) + " %";
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
            plan.schedule().shape().name().toLowerCase(Locale.ROOT),
            plan.averaging() > 0 ? ", averaged" : "");
  }
}
