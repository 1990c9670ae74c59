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
 * Everything that is decided before any record is touched. A trainer executes it and cannot deviate
 * from it; options that only make a run faster are no part of it.
 *
 * @param privacy population, expected batch, steps, noise multiplier, neighboring relation
 * @param mechanism how the sums are bounded and noised; its z is that of {@code privacy}
 * @param optimizer what happens with a privatized gradient
 * @param schedule of the learning rate
 * @param weightDecay L2 regularization
 * @param averaging decay of the moving average of the parameters that becomes the model, or 0
 * @param budget where the run stops even if steps are left; null for no limit but the steps
 * @param unit what a record is
 * @param adaptive how the bounds of gradients follow the data; null if they stay
 * @param movingRate how far numbers that follow the data go in a step, in (0, 1]
 * @param queries what is asked of all records before the first step
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

  /** The usual pace of the statistics of a normalization. */
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
      throw new IllegalArgumentException("a budget must come with noise, got noiseMultiplier 0");
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
          "weight decay inside the clip would pull "
              + layout.vectors(Layout.Role.MOVING_AVERAGE).get(0).name()
              + ", which follows the data, to zero; use decoupled decay");
    }
    if (queries.stream().map(PrivateQuery::name).distinct().count() != queries.size()) {
      throw new IllegalArgumentException("questions must have different names, got " + queries);
    }
  }

  private static void requireAdaptable(Mechanism mechanism) {
    if (!mechanism.layout().names().contains(Metric.Kind.UNCLIPPED.vector())) {
      throw new IllegalArgumentException(
          "adaptive clipping must come with the metric "
              + Metric.Kind.UNCLIPPED.vector()
              + ": it is what the bounds follow");
    }
    for (int g : mechanism.gradientGroups()) {
      VectorGroup group = mechanism.groups().get(g);
      if (group.gamma() > 0
          || group.bound() == Double.POSITIVE_INFINITY
          || !group.scales().stream().allMatch(scale -> scale == 1)) {
        throw new IllegalArgumentException(
            "adaptive clipping must have flat groups with finite bounds, group "
                + group.name()
                + " is none");
      }
    }
  }

  /** What a complete run does to the records; any accountant prices it. */
  public PrivacyEvent event() {
    return event(queries, privacy.event());
  }

  /** What so many steps and all queries do. */
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
    queries.forEach(query -> all.add(query.event().times(1))); // as a ledger adds up
    all.add(steps);
    return new PrivacyEvent.Composition(all);
  }

  /** What is released beside the parameters. */
  public List<Metric.Kind> metrics() {
    return mechanism.layout().vectors(Layout.Role.METRIC).stream().map(Metric.Kind::of).toList();
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

    /** Something to be known of every sample beside the gradients, at a share of the cost. */
    public Builder metric(Metric metric) {
      metrics.removeIf(other -> other.kind() == metric.kind());
      metrics.add(metric);
      return this;
    }

    /**
     * Bounds that follow the data; {@link Metric#unclipped} is asked for with it unless it was
     * before.
     */
    public Builder adaptive(AdaptiveClipping adaptive) {
      this.adaptive = adaptive;
      return this;
    }

    /** A group with a share of the cost, for vectors that follow the data. */
    public Builder shared(VectorGroup group, double share) {
      sharedGroups.add(new Mechanism.Shared(group, share));
      return this;
    }

    /** How far numbers that follow the data go in a step. */
    public Builder movingRate(double rate) {
      this.movingRate = rate;
      return this;
    }

    /** What a record is; an example if nothing is said. */
    public Builder unit(Unit unit) {
      this.unit = unit;
      return this;
    }

    /** Something that is asked of all records before the first step. */
    public Builder query(PrivateQuery query) {
      queries.removeIf(other -> other.name().equals(query.name()));
      queries.add(query);
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

    /** Takes all vectors, metrics included, from a plan that was built before. */
    void layout(Layout complete) {
      layout = complete;
      metrics.clear();
      sharedGroups.clear();
    }

    /** Which data sets must be hard to tell apart. */
    public Builder neighboring(Neighboring neighboring) {
      this.neighboring = neighboring;
      return this;
    }

    /** What happens with a privatized gradient. */
    public Builder optimizer(Optimizer optimizer) {
      this.optimizer = optimizer;
      return this;
    }

    /** How the learning rate changes. */
    public Builder schedule(Schedule schedule) {
      this.schedule = schedule;
      return this;
    }

    /** L2 regularization. */
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
      boolean asked = metrics.stream().anyMatch(m -> m.kind() == Metric.Kind.UNCLIPPED);
      if (adaptive == null || asked) {
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
