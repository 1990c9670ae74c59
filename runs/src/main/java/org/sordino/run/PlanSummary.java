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
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** Formats a plan as a few lines of text. */
public final class PlanSummary {

  private PlanSummary() {}

  /**
   * Returns the lines of the summary.
   *
   * @param model description of the model, which becomes the first line
   * @param plan plan to summarize
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
                populationDeclared ? ", declared" : ", counted from the data (not private)"));
    lines.add("  protects   " + plan.unit().protection(privacy.neighboring()));
    lines.add(
        "  steps      %s, each with %s records on average (%s epochs)"
            .formatted(
                Decimals.grouped(privacy.steps()),
                batch(privacy),
                Decimals.nearest(privacy.epochs(), 3)));
    lines.add("  clipping   " + clipping(plan));
    lines.add("  optimizer  " + optimizer(plan));
    lines.add(
        "  noise      multiplier %s%s"
            .formatted(Decimals.brief(privacy.noiseMultiplier()), target(plan)));
    if (!plan.metrics().isEmpty()) {
      lines.add("  metrics    %s (private)".formatted(metrics(plan)));
    }
    for (PrivateQuery query : plan.queries()) {
      lines.add(
          "  query      %s before training, with noise multiplier %s"
              .formatted(
                  displayName(query.name()), Decimals.brief(query.mechanism().noiseMultiplier())));
    }
    if (!schemaDeclared) {
      lines.add("  schema     computed from the records, outside the guarantee");
    }
    return lines;
  }

  private static String target(TrainingPlan plan) {
    PrivacyBudget budget = plan.budget();
    return budget == null
        ? ""
        : ", for epsilon %s at delta %s"
            .formatted(Decimals.plain(budget.epsilon()), Decimals.plain(budget.delta()));
  }

  private static String unit(Unit unit) {
    return switch (unit.kind()) {
      case EXAMPLE -> "";
      case MICROBATCH -> " microbatches of " + unit.examples() + " examples on average";
      case USER -> " users with at most " + unit.examples() + " examples each";
      case USER_UPDATE ->
          " users, each training locally on at most " + unit.examples() + " examples";
    };
  }

  private static String metrics(TrainingPlan plan) {
    return plan.metrics().stream()
        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  /** Describes how gradients are clipped. */
  static String clipping(TrainingPlan plan) {
    int[] groups = plan.mechanism().gradientGroups();
    String adaptive =
        plan.adaptive() == null
            ? ""
            : ", then adapted to the %s quantile of the norms"
                .formatted(Decimals.brief(plan.adaptive().quantile()));
    if (groups.length > 1) {
      return groups.length + " groups" + adaptive;
    }
    VectorGroup group = plan.mechanism().groups().get(groups[0]);
    String rule = group.gamma() > 0 ? "automatic to norm " : "to norm ";
    return rule + Decimals.brief(group.bound()) + adaptive;
  }

  /** Formats a group's share of the privacy budget of a step, such as {@code 90%}. */
  public static String share(Mechanism mechanism, int group) {
    return mechanism.noiseMultiplier() == 0
        ? "none"
        : Decimals.nearest(100 * mechanism.share(group), 3) + "%";
  }

  static String optimizer(TrainingPlan plan) {
    String name;
    if (plan.optimizer() instanceof Optimizer.Sgd sgd) {
      name = "sgd with momentum " + Decimals.brief(sgd.momentum());
    } else if (plan.optimizer() instanceof Optimizer.Adam adam && adam.noiseCorrection()) {
      name = "adam with noise correction";
    } else {
      name = "adam";
    }
    String schedule =
        plan.schedule().shape() == Schedule.Shape.CONSTANT
            ? ""
            : ", " + plan.schedule().shape().name().toLowerCase(Locale.ROOT) + " decay";
    return "%s, learning rate %s%s%s"
        .formatted(
            name,
            Decimals.brief(plan.optimizer().learningRate()),
            schedule,
            plan.averaging() > 0 ? ", averaged" : "");
  }

  /** Returns the expected batch size in words. */
  static String batch(PrivacyPlan privacy) {
    double batch = privacy.expectedBatch();
    return batch == Math.rint(batch) ? Decimals.grouped((long) batch) : Decimals.brief(batch);
  }

  /** Returns the name of a private query for readers; ledgers keep the spelling of version 0.1. */
  public static String displayName(String query) {
    return query.replace("normalisation", "normalization");
  }
}
