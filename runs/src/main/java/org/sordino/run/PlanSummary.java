package org.sordino.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.Decimals;
import org.sordino.training.Optimizer;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** Describes a plan in a few lines of text. */
public final class PlanSummary {

  private PlanSummary() {}

  /**
   * The lines of a summary.
   *
   * @param model what is trained, the first line
   * @param populationDeclared whether the number of records is public
   * @param schemaDeclared whether bounds, categories and classes are public
   */
  public static List<String> lines(
      String model, TrainingPlan plan, boolean populationDeclared, boolean schemaDeclared) {
    PrivacyPlan privacy = plan.privacy();
    List<String> lines = new ArrayList<>();
    lines.add(model);
    lines.add(
        "  records    %s%s%s"
            .formatted(
                Decimals.grouped(privacy.population()),
                unit(plan.unit()),
                populationDeclared ? ", declared" : ", counted in the file, which is not private"));
    lines.add("  protects   " + plan.unit().protection(privacy.neighboring()));
    lines.add(
        "  steps      %s, each with %s records on average: %s epochs"
            .formatted(
                Decimals.grouped(privacy.steps()),
                Decimals.brief(privacy.expectedBatch()),
                Decimals.nearest(privacy.epochs(), 3)));
    lines.add("  clipping   " + clipping(plan));
    lines.add("  optimizer  " + optimizer(plan));
    lines.add(
        "  noise      multiplier %s%s"
            .formatted(Decimals.brief(privacy.noiseMultiplier()), price(plan)));
    if (!plan.metrics().isEmpty()) {
      lines.add("  metrics    %s, private".formatted(metrics(plan)));
    }
    for (PrivateQuery query : plan.queries()) {
      lines.add(
          "  asks       %s of all records, with noise multiplier %s"
              .formatted(query.name(), Decimals.brief(query.mechanism().noiseMultiplier())));
    }
    if (!schemaDeclared) {
      lines.add("  schema     taken from the records, outside the guarantee");
    }
    return lines;
  }

  private static String price(TrainingPlan plan) {
    PrivacyBudget budget = plan.budget();
    return budget == null
        ? ""
        : ", for epsilon %s at delta %s"
            .formatted(Decimals.plain(budget.epsilon()), Decimals.plain(budget.delta()));
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
                .formatted(Decimals.brief(plan.adaptive().quantile()));
    if (groups.length > 1) {
      return groups.length + " groups" + adaptive;
    }
    VectorGroup group = plan.mechanism().groups().get(groups[0]);
    String rule = group.gamma() > 0 ? "automatic to norm " : "to norm ";
    return rule + Decimals.brief(group.bound()) + adaptive;
  }

  /** What a group has of the cost of a step. */
  public static String share(Mechanism mechanism, int group) {
    return mechanism.noiseMultiplier() == 0
        ? "none"
        : Decimals.nearest(100 * mechanism.share(group), 3) + " %";
  }

  static String optimizer(TrainingPlan plan) {
    String name;
    if (plan.optimizer() instanceof Optimizer.Sgd sgd) {
      name = "sgd with momentum " + Decimals.brief(sgd.momentum());
    } else if (plan.optimizer() instanceof Optimizer.Adam adam && adam.noiseCorrection()) {
      name = "adam corrected for noise";
    } else {
      name = "adam";
    }
    return "%s, learning rate %s %s%s"
        .formatted(
            name,
            Decimals.brief(plan.optimizer().learningRate()),
            plan.schedule().shape().name().toLowerCase(Locale.ROOT),
            plan.averaging() > 0 ? ", averaged" : "");
  }
}
