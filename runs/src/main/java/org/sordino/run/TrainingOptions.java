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
 * The settings of a training run: one method per option of {@code sordino train}, with the same
 * defaults. Only the privacy budget, or a noise multiplier, has none.
 *
 * <pre>{@code
 * new TrainingOptions().epsilon(1).delta(1e-6).population(25_766)
 * }</pre>
 *
 * <p>Defaults depend on public numbers alone: the declared population, the shape of the model and
 * the unit of privacy.
 */
public final class TrainingOptions {

  /** How a record's gradient is bounded. */
  public enum Clipping {
    /** The whole gradient is clipped to one norm. */
    FLAT,
    /** The gradient is scaled to the norm, whether it is longer or shorter (Bu et al., 2022). */
    AUTO,
    /** Every layer is clipped to a norm of its own. */
    PER_LAYER
  }

  /** What happens with a noisy gradient. */
  public enum OptimizerType {
    SGD,
    ADAM,
    /** Adam with the variance of the noise subtracted (Tang et al., 2023). */
    ADAM_BC
  }

  static final double DEFAULT_DELTA = 1e-5;
  private static final long MAX_POPULATION = 1_000_000_000_000L;
  private static final double DEFAULT_LOSS_BOUND = 10;
  private static final double STATISTICS_SHARE = 0.1;

  /** The share of the budget that a query costs unless its noise is set. */
  private static final double QUERY_SHARE = 0.05;

  /** The noise of a query where no budget is set. */
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

  /** The privacy budget; the noise is calibrated to it. */
  public TrainingOptions epsilon(double value) {
    epsilon = require("epsilon", value, value > 0, "above 0", "typical values are 0.1 to 10");
    return this;
  }

  /** The probability that the epsilon bound fails (default: 1e-5). */
  public TrainingOptions delta(double value) {
    delta =
        require(
            "delta",
            value,
            value > 0 && value < 1,
            "above 0 and below 1",
            "it is well below one over the number of records, such as 1e-5");
    return this;
  }

  /**
   * The standard deviation of the noise over the clipping bound, instead of {@link #epsilon}; 0
   * trains without privacy. With both, the number of steps or the batch that fits is found.
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
   * The number of examples in the data, or of users where they are the unit, as publicly declared.
   * Without it they are counted, outside the guarantee.
   */
  public TrainingOptions population(long records) {
    require(
        "population",
        records,
        records >= 1 && records <= MAX_POPULATION,
        "from 1 to 1e12",
        "it is the number of records");
    population = records;
    return this;
  }

  /** The expected number of records per step (Poisson sampling). */
  public TrainingOptions expectedBatch(double records) {
    expectedBatch =
        require("expectedBatch", records, records > 0, "above 0", "it is records per step");
    return this;
  }

  /** The number of passes over the data; the last of this and {@link #steps} counts. */
  public TrainingOptions epochs(double passes) {
    epochs = require("epochs", passes, passes > 0 && passes < 1e9, "above 0", "try 20");
    steps = null;
    return this;
  }

  /** The number of steps; the last of this and {@link #epochs} counts. */
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

  /** The bound on the norm of a record's gradient (default for tables and networks: 1). */
  public TrainingOptions clip(double bound) {
    clip = require("clip", bound, bound >= 1e-30 && bound <= 1e30, "above 0", "try 1");
    return this;
  }

  /** How gradients are bounded (default: flat). */
  public TrainingOptions clipping(Clipping rule) {
    clipping = rule;
    return this;
  }

  /** The optimizer. */
  public TrainingOptions optimizer(OptimizerType name) {
    optimizer = name;
    return this;
  }

  /** The learning rate of the optimizer. */
  public TrainingOptions learningRate(double rate) {
    learningRate = require("learningRate", rate, rate > 0, "above 0", "try 0.1");
    return this;
  }

  /** The momentum of SGD. */
  public TrainingOptions momentum(double value) {
    momentum = require("momentum", value, value >= 0 && value < 1, "in [0, 1)", "try 0.9");
    return this;
  }

  /** How the learning rate changes over the steps. */
  public TrainingOptions schedule(Schedule shape) {
    schedule = shape;
    return this;
  }

  /** The decay of the moving average of parameters that becomes the model; 0 for none. */
  public TrainingOptions averaging(double decay) {
    averaging = require("averaging", decay, decay >= 0 && decay < 1, "in [0, 1)", "try 0.9");
    return this;
  }

  /** L2 regularization. */
  public TrainingOptions weightDecay(double lambda, WeightDecay.Place place) {
    require("weightDecay", lambda, lambda >= 0, "finite and at least 0", "try 0.001");
    weightDecay = new WeightDecay(lambda, place);
    return this;
  }

  /** Protects against replacing a record instead of adding or removing one. */
  public TrainingOptions replaceOne(boolean replace) {
    replaceOne = replace;
    return this;
  }

  /** The unit of privacy: what is sampled, clipped and protected as a whole (default: examples). */
  public TrainingOptions unit(Unit protectedUnit) {
    unit = protectedUnit;
    return this;
  }

  /** The noise multiplier of the preprocessing query (default: it costs 5% of the budget). */
  public TrainingOptions queryNoise(double multiplier) {
    queryNoise = require("queryNoise", multiplier, multiplier > 0, "above 0", "try 10");
    return this;
  }

  /** Metrics of the training records that are released with noise in every step. */
  public TrainingOptions metrics(Metric.Kind... kinds) {
    metrics = EnumSet.noneOf(Metric.Kind.class);
    metrics.addAll(Arrays.asList(kinds));
    return this;
  }

  /** The share of a step's privacy budget that each metric gets (default: 0.01). */
  public TrainingOptions metricShare(double share) {
    metricShare = share("metricShare", share);
    return this;
  }

  /** The bound on a record's loss in the metric {@code loss} (default: 10). */
  public TrainingOptions lossBound(double bound) {
    lossBound = require("lossBound", bound, bound > 0 && bound <= 1e30, "above 0", "try 10");
    return this;
  }

  /** Moves the clipping bound to this quantile of the gradient norms (Andrew et al., 2021). */
  public TrainingOptions adaptiveClip(double quantile) {
    adaptiveQuantile =
        require("adaptiveClip", quantile, quantile >= 0 && quantile <= 1, "in [0, 1]", "try 0.5");
    return this;
  }

  /** The share of a step's privacy budget for statistics of batch normalization (default: 0.1). */
  public TrainingOptions statisticsShare(double share) {
    statisticsShare = share("statisticsShare", share);
    return this;
  }

  /** The bound on a record's part in these statistics. */
  public TrainingOptions statisticsBound(double bound) {
    statisticsBound =
        require("statisticsBound", bound, bound > 0 && bound <= 1e30, "above 0", "try 1");
    return this;
  }

  /**
   * A plan, or a part of one, in the form of {@code plan.json}. It overrides all other settings and
   * reaches those that have no option of their own, such as groups of vectors.
   *
   * @param name what messages call it
   */
  public TrainingOptions plan(String name, String json) {
    planName = name;
    planJson = json;
    return this;
  }

  /** The delta at which the guarantee is stated. */
  public double delta() {
    return delta;
  }

  /** The unit of privacy. */
  public Unit unit() {
    return unit;
  }

  /** The declared number of records, or null. */
  @Nullable Long population() {
    return population;
  }

  /** An example added or removed may change all of its microbatch, which is a replacement. */
  private Neighboring neighboring() {
    return replaceOne || unit.kind() == Unit.Kind.MICROBATCH
        ? Neighboring.REPLACE_ONE
        : Neighboring.ADD_OR_REMOVE_ONE;
  }

  /**
   * Checks the settings against a model, before any record is read.
   *
   * @throws InvalidInputException naming the setting that does not fit
   */
  public void check(ModelShape shape) {
    if (unit.kind() == Unit.Kind.USER_UPDATE && !shape.statistics().isEmpty()) {
      throw new InvalidInputException(
          "`unit` user-update must have a model that is trained at home alone, but %s follows the"
                  .formatted(shape.statistics().get(0).name())
              + " data of all; use group-norm or another unit");
    }
    // The population is not known yet. Everything that depends on it is a number; whether groups,
    // metrics and plan fit the model is not.
    TrainingDefaults defaults = TrainingDefaults.of(shape.network(), unit, 1);
    built(builder(shape, MAX_POPULATION, defaults).noiseMultiplier(1e-9).steps(1), shape);
  }

  /**
   * Makes the plan of a run.
   *
   * @param shape the public facts about the model
   * @param population the number of records
   * @throws InvalidInputException naming the setting that does not fit
   */
  public TrainingPlan plan(ModelShape shape, long population) {
    TrainingDefaults defaults = TrainingDefaults.of(shape.network(), unit, population);
    TrainingPlan.Builder plan = builder(shape, population, defaults);
    if (epsilon != null && noiseMultiplier != null) {
      fitToBudget(plan, queries(shape), population);
    }
    return built(plan, shape);
  }

  private TrainingPlan built(TrainingPlan.Builder builder, ModelShape shape) {
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

  /** A given plan must not ask for records or inputs that the other settings do not provide. */
  private void requireSame(TrainingPlan plan, ModelShape shape) {
    if (plan.unit().kind() != unit.kind()) {
      throw new IllegalArgumentException(
          "unit must be that of `unit`, %s, got %s; give `unit` too"
              .formatted(unit.kind(), plan.unit().kind()));
    }
    List<Layout> asked = layouts(plan.queries());
    List<Layout> expected =
        layouts(shape.preprocessing().queries(shape.channels(), shape.width(), () -> 1));
    if (!asked.equals(expected)) {
      throw new IllegalArgumentException(
          "questions must be those of `normalize` or `principalDirections`, got "
              + plan.queries().stream().map(PrivateQuery::name).toList()
              + "; give the option too");
    }
    Metric.requireClasses(plan.mechanism().layout().vectors(Layout.Role.METRIC), shape.classes());
  }

  private static List<Layout> layouts(List<PrivateQuery> queries) {
    return queries.stream().map(query -> query.mechanism().layout()).toList();
  }

  private TrainingPlan.Builder builder(
      ModelShape shape, long population, TrainingDefaults defaults) {
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

  private List<PrivateQuery> queries(ModelShape shape) {
    return shape.preprocessing().queries(shape.channels(), shape.width(), this::noiseOfQuery);
  }

  /** A Gaussian that alone would cost the whole budget has z0; costs go with 1 / z^2. */
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

  /** The privacy budget; null if only a noise multiplier or the plan determines the cost. */
  private @Nullable PrivacyBudget target() {
    if (epsilon != null) {
      return new PrivacyBudget(epsilon, delta);
    }
    if (noiseMultiplier == null && planJson == null) {
      throw new InvalidInputException("epsilon is missing; set for instance epsilon(1)");
    }
    return null;
  }

  /** Finds the number of steps or the batch that the budget leaves room for. */
  private void fitToBudget(TrainingPlan.Builder plan, List<PrivateQuery> queries, long population) {
    double z = noiseMultiplier == null ? 0 : noiseMultiplier;
    PrivacyBudget target = target();
    if (target == null || epochs != null || (expectedBatch == null) == (steps == null)) {
      throw new InvalidInputException(
          "with epsilon and a noise multiplier, exactly one of expected batch and steps must be"
              + " given; the other one is found");
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
            "`epsilon` leaves no room for a single step; give more noise");
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
        "it is the expected number of records in a step");
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
          "`momentum` belongs to sgd; leave it out or use `optimizer` sgd");
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

  private void addMetrics(TrainingPlan.Builder plan, ModelShape shape) {
    for (Metric.Kind kind : metrics) {
      plan.metric(metric(kind, shape));
    }
    if (adaptiveQuantile != null) {
      plan.metric(Metric.unclipped(metricShare));
      plan.adaptive(AdaptiveClipping.to(adaptiveQuantile));
    }
  }

  private Metric metric(Metric.Kind kind, ModelShape shape) {
    boolean needsClasses = kind == Metric.Kind.ACCURACY || kind == Metric.Kind.CLASSES;
    if (needsClasses && shape.classes() == 0) {
      throw new InvalidInputException(
          "`metrics` %s must be asked of a classifier, not of a regression; leave it out"
              .formatted(kind.name().toLowerCase(Locale.ROOT)));
    }
    return switch (kind) {
      case LOSS -> Metric.loss(lossBound, metricShare);
      case ACCURACY -> Metric.accuracy(metricShare);
      case CLASSES -> Metric.classes(shape.classes(), metricShare);
      case UNCLIPPED -> Metric.unclipped(metricShare);
    };
  }

  private void addStatistics(TrainingPlan.Builder plan, ModelShape shape) {
    List<Layout.Vector> statistics = shape.statistics();
    if (statistics.isEmpty()) {
      if (statisticsShare != null || statisticsBound != null) {
        throw new InvalidInputException(
            (statisticsShare == null ? "`statisticsBound`" : "`statisticsShare`")
                + " needs a model with batch-norm");
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
