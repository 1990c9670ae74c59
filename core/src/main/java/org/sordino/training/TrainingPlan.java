package org.sordino.training;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.TightAccountant;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/**
 * Everything that is decided before any record is touched. A trainer executes it and cannot deviate
 * from it; options that only make a run faster are no part of it.
 *
 * @param privacy population, expected batch, steps, noise multiplier, neighbouring relation
 * @param mechanism how the sums are bounded and noised; its z is that of {@code privacy}
 * @param optimiser what happens with a privatised gradient
 * @param schedule of the learning rate
 * @param weightDecay L2 regularisation
 * @param averaging decay of the moving average of the parameters that becomes the model, or 0
 * @param budget where the run stops even if steps are left; null for no limit but the steps
 */
public record TrainingPlan(
    PrivacyPlan privacy,
    Mechanism mechanism,
    Optimiser optimiser,
    Schedule schedule,
    WeightDecay weightDecay,
    double averaging,
    @Nullable PrivacyBudget budget) {

  public TrainingPlan {
    if (mechanism.noiseMultiplier() != privacy.noiseMultiplier()) {
      throw new IllegalArgumentException(
          "noiseMultiplier of the mechanism must be that of the privacy plan, "
              + privacy.noiseMultiplier()
              + ", got "
              + mechanism.noiseMultiplier());
    }
    if (!(averaging >= 0 && averaging < 1)) {
      throw new IllegalArgumentException("averaging must be in [0, 1), got " + averaging);
    }
    if (budget != null && privacy.noiseMultiplier() == 0) {
      throw new IllegalArgumentException("a budget must come with noise, got noiseMultiplier 0");
    }
  }

  /** Begins a plan for a model with these parameters. */
  public static Builder forLayout(Layout layout) {
    return new Builder(layout);
  }

  /** As JSON; {@link #fromJson} reads it back to an equal plan. */
  public String toJson() {
    return PlanJson.write(this);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException naming the field that is missing, unknown or wrong
   */
  public static TrainingPlan fromJson(String json) {
    return PlanJson.read(json);
  }

  /** The rule for an engine. */
  org.sordino.mechanism.Clipping clipping(double slack) {
    return mechanism.clipping(
        privacy.population(), weightDecay.at(WeightDecay.Place.INSIDE_CLIP), slack);
  }

  /** Collects the decisions; what is not said has a sensible default. */
  public static final class Builder {

    private final Layout layout;
    private long population;
    private double expectedBatch;
    private @Nullable Long steps;
    private @Nullable Double epochs;
    private @Nullable Double noiseMultiplier;
    private @Nullable PrivacyBudget budget;
    private @Nullable List<VectorGroup> groups;
    private double @Nullable [] deviations;
    private NoiseAllocation allocation = NoiseAllocation.EQUAL;
    private Neighbouring neighbouring = Neighbouring.ADD_OR_REMOVE_ONE;
    private double clip = 1;
    private Optimiser optimiser = Optimiser.sgd(0.5);
    private Schedule schedule = Schedule.constant();
    private WeightDecay weightDecay = WeightDecay.none();
    private double averaging;

    private Builder(Layout layout) {
      this.layout = layout;
    }

    /** How many records there are, as declared: a public number. */
    public Builder population(long records) {
      this.population = records;
      return this;
    }

    /** How many records a step draws on average. */
    public Builder expectedBatch(double records) {
      this.expectedBatch = records;
      return this;
    }

    /** How many steps; the last of this and {@link #epochs} counts. */
    public Builder steps(long steps) {
      this.steps = steps;
      this.epochs = null;
      return this;
    }

    /** How often a record is drawn on average: an integer number of steps comes out. */
    public Builder epochs(double epochs) {
      this.epochs = epochs;
      this.steps = null;
      return this;
    }

    /** The noise on the sum relative to the clipping bound. */
    public Builder noiseMultiplier(double noiseMultiplier) {
      this.noiseMultiplier = noiseMultiplier;
      return this;
    }

    /** What the run may cost; without a noise multiplier, the noise is calibrated to it. */
    public Builder budget(PrivacyBudget budget) {
      this.budget = budget;
      return this;
    }

    /** Flat clipping of the whole gradient to this norm. */
    public Builder clip(double bound) {
      this.clip = bound;
      return this;
    }

    /** Groups of vectors with bounds of their own, instead of flat clipping. */
    public Builder groups(List<VectorGroup> groups, NoiseAllocation allocation) {
      this.groups = List.copyOf(groups);
      this.allocation = allocation;
      this.deviations = null;
      return this;
    }

    /** Groups of vectors with noise of their own; it must compose to the noise multiplier. */
    Builder groups(List<VectorGroup> groups, double[] deviations) {
      this.groups = List.copyOf(groups);
      this.deviations = deviations.clone();
      return this;
    }

    /**
     * Takes what a plan in JSON says, all of it or a part, in place of what was said before.
     *
     * @throws IllegalArgumentException naming the field that is unknown or wrong
     */
    public Builder override(String json) {
      PlanJson.override(this, json);
      return this;
    }

    Layout layout() {
      return layout;
    }

    /** Which data sets must be hard to tell apart. */
    public Builder neighbouring(Neighbouring neighbouring) {
      this.neighbouring = neighbouring;
      return this;
    }

    /** What happens with a privatised gradient. */
    public Builder optimiser(Optimiser optimiser) {
      this.optimiser = optimiser;
      return this;
    }

    /** How the learning rate changes. */
    public Builder schedule(Schedule schedule) {
      this.schedule = schedule;
      return this;
    }

    /** L2 regularisation. */
    public Builder weightDecay(double lambda, WeightDecay.Place place) {
      this.weightDecay = new WeightDecay(lambda, place);
      return this;
    }

    /** The model becomes a moving average of the parameters with this decay. */
    public Builder averaging(double decay) {
      this.averaging = decay;
      return this;
    }

    /** Checks, calibrates, and fixes everything. */
    public TrainingPlan build() {
      PrivacyPlan silent = privacy(0);
      double z = noise(silent);
      List<VectorGroup> bounded =
          groups == null ? List.of(VectorGroup.flat("gradient", layout.names(), clip)) : groups;
      Mechanism mechanism =
          deviations == null
              ? Mechanism.of(layout, bounded, allocation, z)
              : Mechanism.planned(layout, bounded, deviations, z);
      return new TrainingPlan(
          privacy(z), mechanism, optimiser, schedule, weightDecay, averaging, budget);
    }

    private PrivacyPlan privacy(double z) {
      return new PrivacyPlan(population, expectedBatch, stepCount(), z, neighbouring);
    }

    private long stepCount() {
      if (steps != null) {
        return steps;
      }
      if (epochs == null) {
        throw new IllegalArgumentException("give steps or epochs");
      }
      if (!(epochs > 0 && epochs < 1e9)) {
        throw new IllegalArgumentException("epochs must be above 0 and below 1e9, got " + epochs);
      }
      return Math.max(1, Math.round(epochs * population / expectedBatch));
    }

    private double noise(PrivacyPlan plan) {
      if (noiseMultiplier != null) {
        return noiseMultiplier;
      }
      if (budget == null) {
        throw new IllegalArgumentException("give a budget or a noiseMultiplier (0 for no privacy)");
      }
      return Calibration.of(TightAccountant.of(neighbouring), budget)
          .noiseMultiplier(plan.samplingRate(), plan.steps());
    }
  }
}
