package org.sordino.run;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.JsonObject;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.AdaptiveClipping;
import org.sordino.training.Metric;
import org.sordino.training.Optimizer;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;

/**
 * The settings of a training run, with one method per option of {@code sordino train} and the same
 * defaults. Only the privacy budget has no default: {@link #epsilon} or {@link #noiseMultiplier} is
 * required.
 *
 * <pre>{@code
 * new TrainingOptions().epsilon(1).delta(1e-6).population(25_766)
 * }</pre>
 *
 * <p>The defaults depend only on the population, the shape of the model and the unit of privacy,
 * never on the content of the records.
 */
public final class TrainingOptions {

  /** The rule that bounds a record's gradient. */
  public enum Clipping {
    /** Clips the whole gradient to one norm. */
    FLAT,
    /** Scales every gradient to the norm, whether it is longer or shorter (Bu et al., 2022). */
    AUTO,
    /** Clips the gradient of each layer to a separate norm. */
    PER_LAYER
  }

  /** The optimizer that applies a noisy gradient. */
  public enum OptimizerType {
    /** Stochastic gradient descent with momentum. */
    SGD,
    /** Adam. */
    ADAM,
    /** Adam with the variance of the noise subtracted (Tang et al., 2023). */
    ADAM_BC
  }

  static final double DEFAULT_DELTA = 1e-5;
  private static final long MAX_POPULATION = 1_000_000_000_000L;
  private static final double DEFAULT_LOSS_BOUND = 10;
  private static final double STATISTICS_SHARE = 0.1;

  /** Share of the privacy budget for a preprocessing query whose noise multiplier is not set. */
  private static final double QUERY_SHARE = 0.05;

  /** Noise multiplier of a preprocessing query if no privacy budget is set. */
  private static final double QUERY_NOISE = 10;

  private @Nullable Double epsilon;
  private double delta = DEFAULT_DELTA;
  private @Nullable Double noiseMultiplier;
  private @Nullable Long population;
  private @Nullable Double expectedBatch;
  private @Nullable Double epochs;
  private @Nullable Long steps;
  private @Nullable Double clip;
  private Clipping clipping = Clipping.FLAT;
  private @Nullable OptimizerType optimizer;
  private @Nullable Double learningRate;
  private @Nullable Double momentum;
  private @Nullable Schedule schedule;
  private @Nullable Double averaging;
  private @Nullable WeightDecay weightDecay;
  private boolean replaceOne;
  private @Nullable String planJson;
  private String planName = "plan";
  private Unit unit = Unit.example();
  private @Nullable Double queryNoise;
  private Set<Metric.Kind> metrics = EnumSet.noneOf(Metric.Kind.class);
  private double metricShare = Metric.DEFAULT_SHARE;
  private double lossBound = DEFAULT_LOSS_BOUND;
  private @Nullable Double adaptiveQuantile;
  private @Nullable Double statisticsShare;
  private @Nullable Double statisticsBound;

  /** Sets the epsilon of the privacy budget. The noise is calibrated to the budget. */
  public TrainingOptions epsilon(double value) {
    epsilon = require("epsilon", value, value > 0, "above 0", "typical values are 0.1 to 10");
    return this;
  }

  /** Sets the probability that the epsilon bound fails (default: 1e-5). */
  public TrainingOptions delta(double value) {
    delta =
        require(
            "delta",
            value,
            value > 0 && value < 1,
            "above 0 and below 1",
            "use a value well below 1 / number of records, such as 1e-5");
    return this;
  }

  /**
   * Sets the noise multiplier: the ratio of the standard deviation of the noise to the clipping
   * bound. It can be set instead of {@link #epsilon}; 0 trains without privacy. If both are set,
   * the number of steps or the batch size is computed from the budget.
   */
  public TrainingOptions noiseMultiplier(double value) {
    noiseMultiplier =
        require(
            "noiseMultiplier",
            value,
            value >= 0,
            "finite and at least 0",
            "typical values are 0.5 to 10");
    return this;
  }

  /**
   * Declares the number of examples in the data, or of users if users are protected, as a public
   * number. If it is not declared, the records are counted, outside the guarantee.
   */
  public TrainingOptions population(long records) {
    require(
        "population",
        records,
        records >= 1 && records <= MAX_POPULATION,
        "from 1 to 1e12",
        "use the number of records");
    population = records;
    return this;
  }

  /** Sets the expected number of records per step (Poisson sampling). */
  public TrainingOptions expectedBatch(double records) {
    expectedBatch =
        require(
            "expectedBatch",
            records,
            records > 0,
            "above 0",
            "use the expected number of records per step");
    return this;
  }

  /** Sets the number of passes over the data. Overrides an earlier {@link #steps}. */
  public TrainingOptions epochs(double passes) {
    epochs = require("epochs", passes, passes > 0 && passes < 1e9, "above 0", "try 20");
    steps = null;
    return this;
  }

  /** Sets the number of steps. Overrides an earlier {@link #epochs}. */
  public TrainingOptions steps(long count) {
    require(
        "steps",
        count,
        count >= 1 && count <= PrivacyEvent.MAX_COUNT,
        "at least 1 and at most " + PrivacyEvent.MAX_COUNT,
        "try 500");
    steps = count;
    epochs = null;
    return this;
  }

  /**
   * Sets the clipping bound, the bound on the norm of a record's gradient (default for tables and
   * networks: 1).
   */
  public TrainingOptions clip(double bound) {
    clip = require("clip", bound, bound >= 1e-30 && bound <= 1e30, "above 0", "try 1");
    return this;
  }

  /** Sets the clipping rule (default: {@link Clipping#FLAT}). */
  public TrainingOptions clipping(Clipping rule) {
    clipping = rule;
    return this;
  }

  /** Sets the optimizer. */
  public TrainingOptions optimizer(OptimizerType name) {
    optimizer = name;
    return this;
  }

  /** Sets the learning rate of the optimizer. */
  public TrainingOptions learningRate(double rate) {
    learningRate = require("learningRate", rate, rate > 0, "above 0", "try 0.1");
    return this;
  }

  /** Sets the momentum of {@link OptimizerType#SGD}. */
  public TrainingOptions momentum(double value) {
    momentum = require("momentum", value, value >= 0 && value < 1, "in [0, 1)", "try 0.9");
    return this;
  }

  /** Sets the learning rate schedule. */
  public TrainingOptions schedule(Schedule shape) {
    schedule = shape;
    return this;
  }

  /**
   * Sets the decay of the moving average of the parameters. The average becomes the model; 0
   * disables averaging.
   */
  public TrainingOptions averaging(double decay) {
    averaging = require("averaging", decay, decay >= 0 && decay < 1, "in [0, 1)", "try 0.9");
    return this;
  }

  /**
   * Sets the L2 regularization.
   *
   * @param lambda strength, or 0 for none
   * @param place where the decay is applied
   */
  public TrainingOptions weightDecay(double lambda, WeightDecay.Place place) {
    require("weightDecay", lambda, lambda >= 0, "finite and at least 0", "try 0.001");
    weightDecay = new WeightDecay(lambda, place);
    return this;
  }

  /**
   * Sets whether neighboring data sets differ in one replaced record (replace-one) instead of one
   * added or removed record (add-or-remove, the default).
   */
  public TrainingOptions replaceOne(boolean replace) {
    replaceOne = replace;
    return this;
  }

  /**
   * Sets the unit of privacy, which is sampled, clipped and protected as a whole (default:
   * examples).
   */
  public TrainingOptions unit(Unit protectedUnit) {
    unit = protectedUnit;
    return this;
  }

  /**
   * Sets the noise multiplier of the preprocessing query (default: calibrated to 5% of the privacy
   * budget, or 10 if no budget is set).
   */
  public TrainingOptions queryNoise(double multiplier) {
    queryNoise = require("queryNoise", multiplier, multiplier > 0, "above 0", "try 10");
    return this;
  }

  /** Sets the metrics of the training records that are released with noise in every step. */
  public TrainingOptions metrics(Metric.Kind... kinds) {
    metrics = EnumSet.noneOf(Metric.Kind.class);
    metrics.addAll(Arrays.asList(kinds));
    return this;
  }

  /** Sets the share of a step's privacy budget for each metric (default: 0.01). */
  public TrainingOptions metricShare(double share) {
    metricShare = share("metricShare", share);
    return this;
  }

  /** Sets the bound on a record's loss in the metric {@code loss} (default: 10). */
  public TrainingOptions lossBound(double bound) {
    lossBound = require("lossBound", bound, bound > 0 && bound <= 1e30, "above 0", "try 10");
    return this;
  }

  /**
   * Enables adaptive clipping, which moves the clipping bound to this quantile of the gradient
   * norms (Andrew et al., 2021).
   */
  public TrainingOptions adaptiveClip(double quantile) {
    adaptiveQuantile =
        require("adaptiveClip", quantile, quantile >= 0 && quantile <= 1, "in [0, 1]", "try 0.5");
    return this;
  }

  /**
   * Sets the share of a step's privacy budget for the statistics of batch normalization (default:
   * 0.1).
   */
  public TrainingOptions statisticsShare(double share) {
    statisticsShare = share("statisticsShare", share);
    return this;
  }

  /**
   * Sets the bound on a record's contribution to the statistics of batch normalization (default:
   * half the square root of their dimension).
   */
  public TrainingOptions statisticsBound(double bound) {
    statisticsBound =
        require("statisticsBound", bound, bound > 0 && bound <= 1e30, "above 0", "try 1");
    return this;
  }

  /**
   * Sets a plan, or part of one, in the format of {@code plan.json}. It overrides all other
   * settings and gives access to settings that have no method here, such as vector groups.
   *
   * @param name name of the plan in error messages
   * @param json content of the plan
   */
  public TrainingOptions plan(String name, String json) {
    planName = name;
    planJson = json;
    return this;
  }

  /** Returns the delta at which the guarantee is stated. */
  public double delta() {
    return delta;
  }

  /** Returns the unit of privacy. */
  public Unit unit() {
    return unit;
  }

  /** Returns the declared number of records, or null. */
  @Nullable Long population() {
    return population;
  }

  /**
   * Microbatches are replace-one: adding or removing one example may change its whole microbatch.
   */
  private Neighboring neighboring() {
    return replaceOne || unit.kind() == Unit.Kind.MICROBATCH
        ? Neighboring.REPLACE_ONE
        : Neighboring.ADD_OR_REMOVE_ONE;
  }

  /**
   * Checks the settings against a model, before any record is read.
   *
   * @throws InvalidInputException if a setting does not fit the model; the message names it
   */
  public void check(Task.Shape shape) {
    if (unit.kind() == Unit.Kind.USER_UPDATE && !shape.statistics().isEmpty()) {
      throw new InvalidInputException(
          "`unit` user-update and batch-norm cannot be combined, because %s depends on"
                  .formatted(shape.statistics().get(0).name())
              + " the records of all users; use group-norm or another unit");
    }
    // Population, noise and steps are placeholders. They only affect numbers in the plan, not
    // whether its groups, metrics and JSON fit the model.
    TrainingDefaults defaults = TrainingDefaults.of(shape.network(), unit, 1);
    built(builder(shape, MAX_POPULATION, defaults).noiseMultiplier(1e-9).steps(1), shape);
  }

  /**
   * Creates the plan of a run.
   *
   * @param shape public facts about the model
   * @param population number of records
   * @throws InvalidInputException if a setting does not fit the model; the message names it
   */
  public TrainingPlan plan(Task.Shape shape, long population) {
    TrainingDefaults defaults = TrainingDefaults.of(shape.network(), unit, population);
    TrainingPlan.Builder plan = builder(shape, population, defaults);
    if (epsilon != null && noiseMultiplier != null) {
      fitToBudget(plan, queries(shape), population);
    }
    return built(plan, shape);
  }

  private TrainingPlan built(TrainingPlan.Builder builder, Task.Shape shape) {
    try {
      if (planJson != null) {
        builder.override(planJson);
      }
      TrainingPlan plan = builder.build();
      requireSame(plan, shape);
      return plan;
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException((planJson == null ? "" : planName + ": ") + e.getMessage());
    }
  }

  /** Requires that a JSON plan has the unit and preprocessing of the other settings. */
  private void requireSame(TrainingPlan plan, Task.Shape shape) {
    if (plan.unit().kind() != unit.kind()) {
      throw new IllegalArgumentException(
          "unit must match `unit`, which is %s, got %s; set `unit` to the unit of the plan"
              .formatted(
                  JsonObject.spelling(unit.kind()), JsonObject.spelling(plan.unit().kind())));
    }
    List<Layout> actual = layouts(plan.queries());
    List<Layout> expected =
        layouts(shape.preprocessing().queries(shape.channels(), shape.width(), () -> 1));
    if (!actual.equals(expected)) {
      throw new IllegalArgumentException(
          "questions must match `normalize` or `principalDirections`, got "
              + plan.queries().stream().map(PrivateQuery::name).toList()
              + "; set that option as well");
    }
    Metric.requireClasses(plan.mechanism().layout().vectors(Layout.Role.METRIC), shape.classes());
    if (shape.network() && unit.kind() == Unit.Kind.EXAMPLE) {
      plan.mechanism().requireFloat32(); // here, before records are read and a budget is charged
    }
  }

  private static List<Layout> layouts(List<PrivateQuery> queries) {
    return queries.stream().map(query -> query.mechanism().layout()).toList();
  }

  private TrainingPlan.Builder builder(
      Task.Shape shape, long population, TrainingDefaults defaults) {
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(shape.layout())
            .population(population)
            .expectedBatch(batch(population, defaults))
            .unit(unit)
            .neighboring(neighboring())
            .optimizer(optimizer(defaults))
            .schedule(schedule == null ? defaults.schedule() : schedule)
            .averaging(averaging == null ? defaults.averaging() : averaging);
    addMetrics(plan, shape);
    addStatistics(plan, shape);
    queries(shape).forEach(plan::query);
    addLength(plan, defaults);
    addBounds(plan, shape.gradients(), defaults);
    WeightDecay decay = weightDecay == null ? defaults.weightDecay() : weightDecay;
    plan.weightDecay(decay.lambda(), decay.place());
    if (noiseMultiplier != null) {
      plan.noiseMultiplier(noiseMultiplier);
    }
    PrivacyBudget target = target();
    if (target != null) {
      plan.budget(target);
    }
    return plan;
  }

  private List<PrivateQuery> queries(Task.Shape shape) {
    return shape.preprocessing().queries(shape.channels(), shape.width(), this::noiseOfQuery);
  }

  /**
   * Returns the noise multiplier of a preprocessing query. A single Gaussian query that spends the
   * whole budget has noise multiplier z0. The cost is proportional to 1 / z^2, so z0 / sqrt(share)
   * spends that share.
   */
  private double noiseOfQuery() {
    if (queryNoise != null) {
      return queryNoise;
    }
    PrivacyBudget target = target();
    if (target == null) {
      return QUERY_NOISE;
    }
    double z0 =
        Calibration.of(TightAccountant.of(neighboring()), target)
            .noiseMultiplier(PrivacyEvent.Gaussian::new);
    return z0 / Math.sqrt(QUERY_SHARE);
  }

  /** Returns the privacy budget; null if a noise multiplier or the plan determines the cost. */
  private @Nullable PrivacyBudget target() {
    if (epsilon != null) {
      return new PrivacyBudget(epsilon, delta);
    }
    if (noiseMultiplier == null && planJson == null) {
      throw new InvalidInputException("epsilon is missing; try epsilon(1)");
    }
    return null;
  }

  /** Sets the largest number of steps or the largest batch that the budget allows. */
  private void fitToBudget(TrainingPlan.Builder plan, List<PrivateQuery> queries, long population) {
    double z = noiseMultiplier == null ? 0 : noiseMultiplier;
    PrivacyBudget target = target();
    if (target == null || epochs != null || (expectedBatch == null) == (steps == null)) {
      throw new InvalidInputException(
          "if epsilon and a noise multiplier are both set, exactly one of expected batch and steps"
              + " must be set; the other one is computed");
    }
    Calibration calibration = Calibration.of(TightAccountant.of(neighboring()), target);
    if (expectedBatch != null) {
      double rate = expectedBatch / population;
      long most =
          calibration.steps(
              count ->
                  PrivateQuery.compose(
                      queries, new PrivacyEvent.SampledGaussian(rate, z).times(count)));
      if (most == 0) {
        throw new InvalidInputException(
            "`epsilon` is too small for a single step; use a larger epsilon or noise multiplier");
      }
      plan.steps(most);
    } else {
      long count = steps == null ? 1 : steps;
      double rate =
          calibration.samplingRate(
              q ->
                  PrivateQuery.compose(
                      queries, new PrivacyEvent.SampledGaussian(q, z).times(count)));
      plan.expectedBatch(rate * population);
    }
  }

  private double batch(long population, TrainingDefaults defaults) {
    if (expectedBatch == null) {
      return defaults.expectedBatch();
    }
    return require(
        "`expectedBatch`",
        expectedBatch,
        expectedBatch <= population,
        "above 0 and at most the population " + population,
        "use a smaller batch");
  }

  private void addLength(TrainingPlan.Builder plan, TrainingDefaults defaults) {
    if (epochs != null) {
      plan.epochs(epochs);
    } else {
      plan.steps(steps == null ? defaults.steps() : steps);
    }
  }

  private void addBounds(
      TrainingPlan.Builder plan, List<String> gradients, TrainingDefaults defaults) {
    double bound = clip == null ? defaults.clip() : clip;
    List<VectorGroup> groups =
        switch (clipping) {
          case FLAT -> List.of(VectorGroup.flat("gradient", gradients, bound));
          case AUTO -> List.of(VectorGroup.automatic("gradient", gradients, bound, 0.01 * bound));
          case PER_LAYER -> VectorGroup.perLayer(gradients, bound);
        };
    plan.groups(groups, NoiseAllocation.EQUAL);
  }

  private Optimizer optimizer(TrainingDefaults defaults) {
    Optimizer usual = defaults.optimizer();
    boolean usuallySgd = usual instanceof Optimizer.Sgd;
    if (optimizer == null && momentum == null && learningRate == null) {
      return usual;
    }
    OptimizerType name =
        optimizer != null ? optimizer : usuallySgd ? OptimizerType.SGD : OptimizerType.ADAM;
    if (name != OptimizerType.SGD && momentum != null) {
      throw new InvalidInputException(
          "`momentum` requires `optimizer` sgd; remove it or change the optimizer");
    }
    double usualRate =
        (name == OptimizerType.SGD) == usuallySgd
            ? usual.learningRate()
            : name == OptimizerType.SGD ? 0.5 : 0.02;
    double rate = learningRate == null ? usualRate : learningRate;
    double usualMomentum = usual instanceof Optimizer.Sgd sgd ? sgd.momentum() : 0.9;
    return switch (name) {
      case SGD -> new Optimizer.Sgd(rate, momentum == null ? usualMomentum : momentum);
      case ADAM -> Optimizer.adam(rate);
      case ADAM_BC -> new Optimizer.Adam(rate, 0.9, 0.999, 1e-3, true);
    };
  }

  private void addMetrics(TrainingPlan.Builder plan, Task.Shape shape) {
    for (Metric.Kind kind : metrics) {
      plan.metric(metric(kind, shape));
    }
    if (adaptiveQuantile != null) {
      plan.metric(Metric.unclipped(metricShare));
      plan.adaptive(AdaptiveClipping.to(adaptiveQuantile));
    }
  }

  private Metric metric(Metric.Kind kind, Task.Shape shape) {
    boolean needsClasses = kind == Metric.Kind.ACCURACY || kind == Metric.Kind.CLASSES;
    if (needsClasses && shape.classes() == 0) {
      throw new InvalidInputException(
          "`metrics` %s requires a classifier, but the model is a regression; remove this metric"
              .formatted(kind.name().toLowerCase(Locale.ROOT)));
    }
    return switch (kind) {
      case LOSS -> Metric.loss(lossBound, metricShare);
      case ACCURACY -> Metric.accuracy(metricShare);
      case CLASSES -> Metric.classes(shape.classes(), metricShare);
      case UNCLIPPED -> Metric.unclipped(metricShare);
    };
  }

  private void addStatistics(TrainingPlan.Builder plan, Task.Shape shape) {
    List<Layout.Vector> statistics = shape.statistics();
    if (statistics.isEmpty()) {
      if (statisticsShare != null || statisticsBound != null) {
        throw new InvalidInputException(
            (statisticsShare == null ? "`statisticsBound`" : "`statisticsShare`")
                + " requires a model with batch-norm");
      }
      return;
    }
    int dimension = statistics.stream().mapToInt(Layout.Vector::dimension).sum();
    double bound = statisticsBound == null ? 0.5 * Math.sqrt(dimension) : statisticsBound;
    plan.shared(
        VectorGroup.flat(
            "statistics", statistics.stream().map(Layout.Vector::name).toList(), bound),
        statisticsShare == null ? STATISTICS_SHARE : statisticsShare);
  }

  private static double share(String name, double value) {
    return require(name, value, value > 0 && value < 1, "above 0 and below 1", "try 0.01");
  }

  private static double require(
      String name, double value, boolean valid, String condition, String fix) {
    if (!valid || !Double.isFinite(value)) {
      throw InvalidInputException.of(name, condition, Double.toString(value), fix);
    }
    return value;
  }
}
