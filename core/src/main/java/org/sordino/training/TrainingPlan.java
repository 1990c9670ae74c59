package org.sordino.training;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.TightAccountant;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/**
 * All settings that are fixed before any record is read. A trainer executes the plan and cannot
 * deviate from it. Options that only affect the speed of a run are not included.
 *
 * @param privacy population, expected batch size, steps, noise multiplier, neighboring relation
 * @param mechanism clipping and noise of the sums, with the noise multiplier of {@code privacy}
 * @param optimizer updates the parameters with a privatized gradient
 * @param schedule schedule of the learning rate
 * @param weightDecay L2 regularization
 * @param averaging decay of the moving average of the parameters that becomes the model, or 0
 * @param budget budget at which the run stops even if steps are left; null for no budget
 * @param unit unit of protection: what one record represents
 * @param adaptive adaptive clipping of the gradients; null for constant bounds
 * @param movingRate update rate of moving averages, such as the statistics of batch normalization,
 *     in (0, 1]
 * @param queries private queries over all records before the first step
 */
public record TrainingPlan(
    PrivacyPlan privacy,
    Mechanism mechanism,
    Optimizer optimizer,
    Schedule schedule,
    WeightDecay weightDecay,
    double averaging,
    @Nullable PrivacyBudget budget,
    Unit unit,
    @Nullable AdaptiveClipping adaptive,
    double movingRate,
    List<PrivateQuery> queries) {

  /** Default update rate of the statistics of batch normalization. */
  static final double DEFAULT_MOVING_RATE = 0.1;

  public TrainingPlan {
    queries = List.copyOf(queries);
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
      throw new IllegalArgumentException("noiseMultiplier must be above 0 with a budget, got 0");
    }
    if (!(movingRate > 0 && movingRate <= 1)) {
      throw new IllegalArgumentException("movingRate must be in (0, 1], got " + movingRate);
    }
    if (adaptive != null) {
      requireAdaptable(mechanism);
    }
    Layout layout = mechanism.layout();
    if (weightDecay.at(WeightDecay.Place.INSIDE_CLIP) > 0
        && !layout.vectors(Layout.Role.MOVING_AVERAGE).isEmpty()) {
      throw new IllegalArgumentException(
          "weight decay inside the clip would shrink "
              + layout.vectors(Layout.Role.MOVING_AVERAGE).get(0).name()
              + ", which is a moving average, to zero; use decoupled decay");
    }
    if (queries.stream().map(PrivateQuery::name).distinct().count() != queries.size()) {
      throw new IllegalArgumentException("queries must have different names, got " + queries);
    }
  }

  private static void requireAdaptable(Mechanism mechanism) {
    if (!mechanism.layout().names().contains(Metric.Kind.UNCLIPPED.vector())) {
      throw new IllegalArgumentException(
          "adaptive clipping requires the metric "
              + Metric.Kind.UNCLIPPED.vector()
              + ", which the bounds follow; add it");
    }
    for (int g : mechanism.gradientGroups()) {
      VectorGroup group = mechanism.groups().get(g);
      if (group.gamma() > 0
          || group.bound() == Double.POSITIVE_INFINITY
          || !group.scales().stream().allMatch(scale -> scale == 1)) {
        throw new IllegalArgumentException(
            "adaptive clipping requires flat groups with finite bounds, got group "
                + group.name()
                + "; use flat clipping");
      }
    }
  }

  /**
   * Returns the privacy event of a complete run, from which any accountant computes the privacy
   * cost.
   */
  public PrivacyEvent event() {
    return event(queries, privacy.event());
  }

  /** Returns the privacy event of all queries and the given number of steps. */
  PrivacyEvent event(long steps) {
    PrivacyEvent step =
        new PrivacyEvent.SampledGaussian(privacy.samplingRate(), privacy.noiseMultiplier());
    return event(queries, step.times(Math.max(1, steps)));
  }

  private static PrivacyEvent event(List<PrivateQuery> queries, PrivacyEvent steps) {
    if (queries.isEmpty()) {
      return steps;
    }
    List<PrivacyEvent> all = new ArrayList<>();
    queries.forEach(query -> all.add(query.event().times(1))); // in the form used by the ledger
    all.add(steps);
    return new PrivacyEvent.Composition(all);
  }

  /** Returns the metrics that are released in addition to the parameters. */
  public List<Metric.Kind> metrics() {
    return mechanism.layout().vectors(Layout.Role.METRIC).stream().map(Metric.Kind::of).toList();
  }

  /** Returns a builder of plans for a model with these parameters. */
  public static Builder forLayout(Layout layout) {
    return new Builder(layout);
  }

  /** Returns the plan as JSON; {@link #fromJson} reads it back to an equal plan. */
  public String toJson() {
    return PlanJson.write(this);
  }

  /**
   * Reads a plan written by {@link #toJson}.
   *
   * @throws IllegalArgumentException if a field is missing, unknown or invalid; its name is in the
   *     message
   */
  public static TrainingPlan fromJson(String json) {
    return PlanJson.read(json);
  }

  /** Returns the clipping rule for an engine. */
  org.sordino.mechanism.Clipping clipping(double slack) {
    return mechanism.clipping(
        privacy.population(), weightDecay.at(WeightDecay.Place.INSIDE_CLIP), slack);
  }

  /** Builder of plans. Optional settings have sensible defaults. */
  public static final class Builder {

    private Layout layout;
    private final List<Metric> metrics = new ArrayList<>();
    private final List<PrivateQuery> queries = new ArrayList<>();
    private final List<Mechanism.Shared> sharedGroups = new ArrayList<>();
    private Unit unit = Unit.example();
    private @Nullable AdaptiveClipping adaptive;
    private double movingRate = DEFAULT_MOVING_RATE;
    private long population;
    private double expectedBatch;
    private @Nullable Long steps;
    private @Nullable Double epochs;
    private @Nullable Double noiseMultiplier;
    private @Nullable PrivacyBudget budget;
    private @Nullable List<VectorGroup> groups;
    private double @Nullable [] deviations;
    private NoiseAllocation allocation = NoiseAllocation.EQUAL;
    private Neighboring neighboring = Neighboring.ADD_OR_REMOVE_ONE;
    private double clip = 1;
    private Optimizer optimizer = Optimizer.sgd(0.5);
    private Schedule schedule = Schedule.constant();
    private WeightDecay weightDecay = WeightDecay.none();
    private double averaging;

    private Builder(Layout layout) {
      this.layout = layout;
    }

    /** Sets the declared number of records, which is public. */
    public Builder population(long records) {
      this.population = records;
      return this;
    }

    /** Sets the expected number of records per step. */
    public Builder expectedBatch(double records) {
      this.expectedBatch = records;
      return this;
    }

    /** Sets the number of steps. Overrides an earlier call to {@link #epochs}. */
    public Builder steps(long steps) {
      this.steps = steps;
      this.epochs = null;
      return this;
    }

    /**
     * Sets the expected number of times that each record is sampled, which is rounded to a whole
     * number of steps. Overrides an earlier call to {@link #steps}.
     */
    public Builder epochs(double epochs) {
      this.epochs = epochs;
      this.steps = null;
      return this;
    }

    /** Sets the noise multiplier: the noise on the sum relative to the clipping bound. */
    public Builder noiseMultiplier(double noiseMultiplier) {
      this.noiseMultiplier = noiseMultiplier;
      return this;
    }

    /** Sets the privacy budget. Without a noise multiplier, the noise is calibrated to it. */
    public Builder budget(PrivacyBudget budget) {
      this.budget = budget;
      return this;
    }

    /** Sets flat clipping of the whole gradient to this norm. */
    public Builder clip(double bound) {
      this.clip = bound;
      return this;
    }

    /** Adds a metric that is released with every step, at a share of the privacy cost. */
    public Builder metric(Metric metric) {
      metrics.removeIf(other -> other.kind() == metric.kind());
      metrics.add(metric);
      return this;
    }

    /** Sets adaptive clipping. Adds {@link Metric#unclipped} unless the plan already has it. */
    public Builder adaptive(AdaptiveClipping adaptive) {
      this.adaptive = adaptive;
      return this;
    }

    /** Adds a group for moving averages, with a share of the privacy cost. */
    public Builder shared(VectorGroup group, double share) {
      sharedGroups.add(new Mechanism.Shared(group, share));
      return this;
    }

    /** Sets the update rate of moving averages. */
    public Builder movingRate(double rate) {
      this.movingRate = rate;
      return this;
    }

    /** Sets the unit of protection: what one record represents (default: one example). */
    public Builder unit(Unit unit) {
      this.unit = unit;
      return this;
    }

    /** Adds a private query over all records before the first step. */
    public Builder query(PrivateQuery query) {
      queries.removeIf(other -> other.name().equals(query.name()));
      queries.add(query);
      return this;
    }

    /** Sets groups of vectors with separate bounds, instead of flat clipping. */
    public Builder groups(List<VectorGroup> groups, NoiseAllocation allocation) {
      this.groups = List.copyOf(groups);
      this.allocation = allocation;
      this.deviations = null;
      return this;
    }

    /** Sets groups of vectors with separate noise, which must compose to the noise multiplier. */
    Builder groups(List<VectorGroup> groups, double[] deviations) {
      this.groups = List.copyOf(groups);
      this.deviations = deviations.clone();
      return this;
    }

    /**
     * Replaces settings with those of a complete or partial plan in JSON.
     *
     * @throws IllegalArgumentException if a field is unknown or invalid; its name is in the message
     */
    public Builder override(String json) {
      PlanJson.override(this, json);
      return this;
    }

    Layout layout() {
      return layout;
    }

    /** Replaces all vectors, including metrics, with those of an existing plan. */
    void layout(Layout complete) {
      layout = complete;
      metrics.clear();
      sharedGroups.clear();
    }

    /** Sets the neighboring relation. */
    public Builder neighboring(Neighboring neighboring) {
      this.neighboring = neighboring;
      return this;
    }

    /** Sets the optimizer, which updates the parameters with privatized gradients. */
    public Builder optimizer(Optimizer optimizer) {
      this.optimizer = optimizer;
      return this;
    }

    /** Sets the schedule of the learning rate. */
    public Builder schedule(Schedule schedule) {
      this.schedule = schedule;
      return this;
    }

    /** Sets the L2 regularization. */
    public Builder weightDecay(double lambda, WeightDecay.Place place) {
      this.weightDecay = new WeightDecay(lambda, place);
      return this;
    }

    /** Makes the model a moving average of the parameters with this decay. */
    public Builder averaging(double decay) {
      this.averaging = decay;
      return this;
    }

    /** Validates the settings, calibrates the noise if necessary, and creates the plan. */
    public TrainingPlan build() {
      PrivacyPlan silent = privacy(0);
      double z = noise(silent);
      return new TrainingPlan(
          privacy(z),
          mechanism(z),
          optimizer,
          schedule,
          weightDecay,
          averaging,
          budget,
          unit,
          adaptive,
          movingRate,
          queries);
    }

    private Mechanism mechanism(double z) {
      List<VectorGroup> bounded = groups == null ? List.of(flat()) : groups;
      if (deviations != null) {
        return Mechanism.planned(layout, bounded, deviations, z);
      }
      List<Mechanism.Shared> shared = new ArrayList<>(sharedGroups);
      List<Layout.Vector> vectors = new ArrayList<>();
      for (Metric metric : completeMetrics()) {
        Metric sized = metric.forGroups(bounded.size());
        vectors.add(sized.vector());
        shared.add(sized.group());
      }
      return Mechanism.of(layout.with(vectors), bounded, allocation, shared, z);
    }

    private VectorGroup flat() {
      List<String> names =
          layout.vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
      return VectorGroup.flat("gradient", names, clip);
    }

    private List<Metric> completeMetrics() {
      boolean requested = metrics.stream().anyMatch(m -> m.kind() == Metric.Kind.UNCLIPPED);
      if (adaptive == null || requested) {
        return metrics;
      }
      List<Metric> complete = new ArrayList<>(metrics);
      complete.add(Metric.unclipped(Metric.DEFAULT_SHARE));
      return complete;
    }

    private PrivacyPlan privacy(double z) {
      return new PrivacyPlan(population, expectedBatch, stepCount(), z, neighboring);
    }

    private long stepCount() {
      if (steps != null) {
        return steps;
      }
      if (epochs == null) {
        throw new IllegalArgumentException("steps or epochs must be set");
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
        throw new IllegalArgumentException(
            "a budget or a noiseMultiplier must be set; noiseMultiplier 0 trains without privacy");
      }
      return Calibration.of(TightAccountant.of(neighboring), budget)
          .noiseMultiplier(
              z ->
                  TrainingPlan.event(
                      queries,
                      new PrivacyEvent.SampledGaussian(plan.samplingRate(), z)
                          .times(plan.steps())));
    }
  }
}
