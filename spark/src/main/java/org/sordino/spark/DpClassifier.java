package org.sordino.spark;

import static org.apache.spark.sql.functions.col;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.DoubleConsumer;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.sordino.run.BudgetFile;
import org.sordino.run.Learner;
import org.sordino.run.Preprocessing;
import org.sordino.run.Task;
import org.sordino.run.TrainingOptions;
import org.sordino.training.EngineFactory;
import org.sordino.training.LinearModel;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;
import scala.Tuple2;

/**
 * A Spark ML estimator for private classification. It trains logistic or softmax regression, or a
 * network with {@link #setArchitecture}; with {@code setFamily("linear")} it predicts a number.
 *
 * <pre>{@code
 * new DpClassifier()
 *     .setFeaturesCol("features").setLabelCol("label")
 *     .setEpsilon(1).setDelta(1e-6).setPopulation(1_000_000)
 *     .fit(table)
 * }</pre>
 *
 * <p>The guarantee protects one row, or with {@link #setUserCol} all rows of a user. The
 * population, the number of classes and features, and the scale of the features are public
 * declarations. Features should lie within about [-1, 1], scaled by bounds that do not depend on
 * the records. A second fit, or a fit inside a tuning tool, requires a {@link #budgetFile}, which
 * adds up the cost of all fits.
 */
public final class DpClassifier extends Estimator<DpClassificationModel> implements MLWritable {

  private static final long serialVersionUID = 1;

  private final String uid;
  private final Param<String> featuresCol;
  private final Param<String> labelCol;
  private final Param<String> predictionCol;
  private final Param<String> probabilityCol;
  private final Param<String> family;
  private final Param<String> architecture;
  private final DoubleParam epsilon;
  private final DoubleParam delta;
  private final DoubleParam clip;
  private final DoubleParam expectedBatch;
  private final LongParam population;
  private final LongParam steps;
  private final DoubleParam epochs;
  private final DoubleParam weightDecay;
  private final DoubleParam learningRate;
  private final IntParam numClasses;
  private final IntParam numFeatures;
  private final Param<String> budgetFile;
  private final Param<String> runDirectory;
  private final LongParam insecureSeed;
  private final Param<String> userCol;
  private final IntParam rowsPerUser;

  /** Creates an estimator with a random UID. */
  public DpClassifier() {
    this("dpClassifier_" + UUID.randomUUID().toString().substring(0, 12));
  }

  /**
   * Creates an estimator with a UID. Parameters are created here, after the UID, because they
   * contain it.
   */
  public DpClassifier(String uid) {
    this.uid = uid;
    DpParams make = new DpParams(this);
    featuresCol = make.text("featuresCol", "column of feature vectors");
    labelCol = make.text("labelCol", "column of classes 0, 1, ...");
    predictionCol = make.text("predictionCol", "column for the predicted class (empty: none)");
    probabilityCol =
        make.text("probabilityCol", "column for the class probabilities (empty: none)");
    family =
        make.text("family", "model family: auto, logistic, softmax, or linear (predicts a number)");
    architecture =
        make.text("architecture", "network as JSON, instead of a linear model (empty: none)");
    epsilon = make.real("epsilon", "privacy budget of the fit");
    delta = make.real("delta", "probability that the epsilon bound fails");
    clip = make.real("clip", "clipping bound on the gradient norm of a row or user (default: 1)");
    expectedBatch =
        make.real(
            "expectedBatch",
            "expected number of rows or users per step (default: depends on public numbers)");
    population = make.whole("population", "publicly declared number of rows or users");
    steps = make.whole("steps", "number of steps (default: depends on public numbers)");
    epochs = make.real("epochs", "expected number of passes over the data, instead of steps");
    weightDecay = make.real("weightDecay", "L2 regularization, inside the clip");
    learningRate =
        make.real(
            "learningRate", "learning rate of the optimizer (default: depends on public numbers)");
    numClasses = make.count("numClasses", "publicly declared number of classes");
    numFeatures =
        make.count(
            "numFeatures", "publicly declared number of features, for a column without metadata");
    budgetFile = make.text("budgetFile", "budget file that all fits on these records share");
    runDirectory =
        make.text(
            "runDirectory", "directory for ledger and checkpoints; an existing run is resumed");
    insecureSeed = make.whole("insecureSeed", "seed for all randomness; gives no privacy");
    userCol = make.text("userCol", "column with the user ID (empty: protect rows)");
    rowsPerUser = make.count("rowsPerUser", "maximum number of rows used per user");
    setDefault(featuresCol, "features").setDefault(labelCol, "label");
    setDefault(predictionCol, "prediction").setDefault(probabilityCol, "probability");
    setDefault(family, "auto").setDefault(architecture, "").setDefault(numClasses, 2);
    setDefault(numFeatures, 0);
    setDefault(delta, 1e-5).setDefault(budgetFile, "").setDefault(runDirectory, "");
    setDefault(userCol, "").setDefault(rowsPerUser, 32);
  }

  @Override
  public String uid() {
    return uid;
  }

  /**
   * Trains a model.
   *
   * @throws IllegalArgumentException if a parameter or column is invalid; the message names it
   * @throws IllegalStateException if this fit requires a budget file and none is set
   */
  @Override
  public DpClassificationModel fit(Dataset<?> dataset) {
    transformSchema(dataset.schema());
    Learner learner = text(architecture).isEmpty() ? linear(width(dataset)) : network();
    TrainingPlan plan = plan(learner);
    EngineFactory factory = learner.factory();
    if (text(budgetFile).isEmpty()) {
      FitGuard.requireFirst(uid);
    }
    try (SparkEngine engine = engine(factory, dataset)) {
      // Reserve after the engine has checked the records: unusable records cost nothing.
      Optional<BudgetFile.Reservation> reservation = reserve(plan);
      Trainer trainer = Trainer.of(plan, engine).start(learner.initialParameters());
      if (isSet(insecureSeed)) {
        trainer.insecureSeed((Long) getOrDefault(insecureSeed));
      }
      reservation.ifPresent(reserved -> trainer.recount(reserved::recount));
      TrainingResult result = execute(trainer);
      reservation.ifPresent(reserved -> reserved.settle(result.ledger()));
      return new DpClassificationModel(uid)
          .with(learner, result.weights(), FitCost.of(result, (Double) getOrDefault(delta)))
          .named(text(featuresCol), text(predictionCol), text(probabilityCol));
    }
  }

  private TrainingResult execute(Trainer trainer) {
    String directory = text(runDirectory);
    return directory.isEmpty() ? trainer.run() : trainer.in(Path.of(directory)).resume();
  }

  /** Creates the plan of a fit. Parameters that are not set have the defaults of {@code train}. */
  TrainingPlan plan(Learner learner) {
    long rows = (Long) required(population, "the number of rows or users");
    DpParams.require(
        "population", rows, n -> n >= 1, "at least 1", "declare the number of rows or users");
    Task.Shape shape =
        new Task.Shape(
            learner.factory().layout(),
            learner.classes(),
            learner.inputs(),
            learner.inputs(),
            Preprocessing.NONE,
            learner.isNetwork());
    return options(rows).plan(shape, rows);
  }

  private TrainingOptions options(long rows) {
    double cost = (Double) required(epsilon, "the privacy budget of the fit");
    DpParams.require("epsilon", cost, e -> e > 0, "above 0", "try 1");
    TrainingOptions options =
        new TrainingOptions().epsilon(cost).delta((Double) getOrDefault(delta));
    ifSet(
        expectedBatch,
        batch ->
            options.expectedBatch(
                DpParams.require(
                    "expectedBatch",
                    batch,
                    b -> b > 0 && b <= rows,
                    "above 0 and at most the population",
                    "try a tenth of the population")));
    ifSet(clip, options::clip);
    ifSet(learningRate, options::learningRate);
    ifSet(weightDecay, lambda -> options.weightDecay(lambda, WeightDecay.Place.INSIDE_CLIP));
    if (protectsUsers()) {
      options.unit(Unit.user(rowsOfUser()));
    }
    if (isSet(epochs) && isSet(steps)) {
      throw new IllegalArgumentException("steps and epochs cannot be combined; clear one of them");
    }
    ifSet(epochs, options::epochs);
    if (isSet(steps)) {
      options.steps((Long) getOrDefault(steps));
    }
    return options;
  }

  private void ifSet(DoubleParam param, DoubleConsumer action) {
    if (isSet(param)) {
      action.accept((Double) getOrDefault(param));
    }
  }

  private Object required(Param<Object> param, String meaning) {
    if (!isSet(param)) {
      throw new IllegalArgumentException(param.name() + " must be set; it is " + meaning);
    }
    return getOrDefault(param);
  }

  /** Reserves the cost of the fit in the budget. A resumed run already has a reservation. */
  private Optional<BudgetFile.Reservation> reserve(TrainingPlan plan) {
    String file = text(budgetFile);
    if (file.isEmpty()) {
      FitGuard.begin(uid);
      return Optional.empty();
    }
    BudgetFile budget = BudgetFile.open(Path.of(file));
    String owner = protectsUsers() ? BudgetFile.usersOf(text(userCol)) : plan.unit().noun();
    String directory = text(runDirectory);
    if (directory.isEmpty()) {
      return Optional.of(budget.reserve(plan, owner, uid));
    }
    Path run = Path.of(directory);
    Optional<BudgetFile.Reservation> begun = BudgetFile.idIn(run).map(budget::reservation);
    if (begun.isPresent()) {
      return begun;
    }
    BudgetFile.Reservation reservation = budget.reserve(plan, owner, run);
    BudgetFile.keepId(run, reservation.id());
    return Optional.of(reservation);
  }

  private Learner linear(int width) {
    int classes = classes();
    String kind = text(family);
    LinearModel model =
        switch (kind.equals("auto") ? (classes == 2 ? "logistic" : "softmax") : kind) {
          case "linear" -> LinearModel.regression(width);
          case "logistic" -> LinearModel.logistic(width);
          case "softmax" -> LinearModel.softmax(width, classes);
          default ->
              throw new IllegalArgumentException(
                  "family must be auto, logistic, softmax or linear, got " + kind);
        };
    if (kind.equals("logistic") && classes != 2) {
      throw new IllegalArgumentException(
          "family must be softmax for " + classes + " classes, got logistic");
    }
    return Learner.linear(model);
  }

  private Learner network() {
    Learner learner = NetworkLearners.of(text(architecture));
    if (!text(family).equals("auto")) {
      throw new IllegalArgumentException(
          "family and architecture cannot be combined, got family "
              + text(family)
              + "; set only one of them");
    }
    if (learner.classes() != classes()) {
      throw new IllegalArgumentException(
          ("architecture must have one output per class, got %d outputs for %d classes; set"
                  + " numClasses")
              .formatted(learner.classes(), classes()));
    }
    return learner;
  }

  private int classes() {
    int classes = (Integer) getOrDefault(numClasses);
    if (classes < 2) {
      throw new IllegalArgumentException(
          "numClasses must be at least 2, got " + classes + "; declare all classes");
    }
    return classes;
  }

  /**
   * Returns the number of features from the metadata of the column or as declared. The shape of the
   * model must not depend on a row.
   */
  private int width(Dataset<?> dataset) {
    String column = text(featuresCol);
    int known = AttributeGroup.fromStructField(dataset.schema().apply(column)).size();
    if (known > 0) {
      return known;
    }
    int declared = (Integer) getOrDefault(numFeatures);
    if (declared < 1) {
      throw new IllegalArgumentException(
          "column "
              + column
              + " must have metadata with the number of features, got none; use a"
              + " VectorAssembler or set numFeatures");
    }
    return declared;
  }

  private SparkEngine engine(EngineFactory factory, Dataset<?> dataset) {
    RowExamples examples = new RowExamples(factory.inputs());
    Column features = col(text(featuresCol));
    Column label = col(text(labelCol)).cast("double");
    if (!protectsUsers()) {
      JavaRDD<Row> rows = dataset.select(features, label).javaRDD();
      long records = (Long) getOrDefault(population);
      return SparkEngine.of(factory, rows.mapPartitions(examples, true), 0, records);
    }
    JavaRDD<Row> rows =
        dataset.select(features, label, col(text(userCol)).cast("string")).javaRDD();
    return SparkEngine.ofUsers(
        factory,
        rowsOfUser(),
        rows.mapToPair(row -> new Tuple2<>(row.getString(2), examples.one(row))),
        rows.getNumPartitions());
  }

  private boolean protectsUsers() {
    return !text(userCol).isEmpty();
  }

  private int rowsOfUser() {
    int rows = (Integer) getOrDefault(rowsPerUser);
    DpParams.require("rowsPerUser", rows, m -> m >= 1, "at least 1", "try 32");
    return rows;
  }

  @Override
  public StructType transformSchema(StructType schema) {
    Columns.requireVector(schema, text(featuresCol));
    Columns.requireNumber(schema, text(labelCol));
    if (protectsUsers()) {
      Columns.requireName(schema, text(userCol));
    }
    String probabilities = text(family).equals("linear") ? "" : text(probabilityCol);
    return Columns.withPrediction(schema, text(predictionCol), probabilities);
  }

  @Override
  public DpClassifier copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  @Override
  public MLWriter write() {
    return new DefaultParamsWriter(this);
  }

  /** Returns a reader of saved estimators. */
  public static MLReader<DpClassifier> read() {
    return new DefaultParamsReader<>();
  }

  /** Reads a saved estimator. */
  public static DpClassifier load(String path) {
    return read().load(path);
  }

  private String text(Param<String> param) {
    return getOrDefault(param);
  }

  /** Returns the parameter for the column of feature vectors. */
  public Param<String> featuresCol() {
    return featuresCol;
  }

  /** Sets the column of feature vectors. */
  public DpClassifier setFeaturesCol(String value) {
    set(featuresCol, value);
    return this;
  }

  /** Returns the parameter for the column of classes 0, 1, and so on. */
  public Param<String> labelCol() {
    return labelCol;
  }

  /** Sets the column of classes 0, 1, and so on. */
  public DpClassifier setLabelCol(String value) {
    set(labelCol, value);
    return this;
  }

  /** Returns the parameter for the column of predicted classes. */
  public Param<String> predictionCol() {
    return predictionCol;
  }

  /** Sets the column of predicted classes; empty for none. */
  public DpClassifier setPredictionCol(String value) {
    set(predictionCol, value);
    return this;
  }

  /** Returns the parameter for the column of class probabilities. */
  public Param<String> probabilityCol() {
    return probabilityCol;
  }

  /** Sets the column of class probabilities; empty for none. */
  public DpClassifier setProbabilityCol(String value) {
    set(probabilityCol, value);
    return this;
  }

  /** Returns the parameter for the family of linear models. */
  public Param<String> family() {
    return family;
  }

  /** Sets the family of linear models: auto, logistic, softmax, or linear to predict a number. */
  public DpClassifier setFamily(String value) {
    set(family, value);
    return this;
  }

  /** Returns the parameter for the architecture of a network. */
  public Param<String> architecture() {
    return architecture;
  }

  /** Sets the architecture of a network, as JSON, to train it instead of a linear model. */
  public DpClassifier setArchitecture(String value) {
    set(architecture, value);
    return this;
  }

  /** Returns the parameter for epsilon. */
  public DoubleParam epsilon() {
    return epsilon;
  }

  /** Sets the epsilon that the fit may cost. */
  public DpClassifier setEpsilon(double value) {
    set(epsilon, value);
    return this;
  }

  /** Returns the parameter for delta. */
  public DoubleParam delta() {
    return delta;
  }

  /** Sets delta, the probability that the epsilon bound fails. */
  public DpClassifier setDelta(double value) {
    set(delta, value);
    return this;
  }

  /** Returns the parameter for the clipping bound. */
  public DoubleParam clip() {
    return clip;
  }

  /** Sets the clipping bound on the gradient norm of a row or user. */
  public DpClassifier setClip(double value) {
    set(clip, value);
    return this;
  }

  /** Returns the parameter for the expected batch size. */
  public DoubleParam expectedBatch() {
    return expectedBatch;
  }

  /** Sets the expected number of rows or users per step (Poisson sampling). */
  public DpClassifier setExpectedBatch(double value) {
    set(expectedBatch, value);
    return this;
  }

  /** Returns the parameter for the population. */
  public LongParam population() {
    return population;
  }

  /** Sets the publicly declared number of rows or users. */
  public DpClassifier setPopulation(long value) {
    set(population, value);
    return this;
  }

  /** Returns the parameter for the number of steps. */
  public LongParam steps() {
    return steps;
  }

  /** Sets the number of steps. */
  public DpClassifier setSteps(long value) {
    set(steps, value);
    return this;
  }

  /** Returns the parameter for the number of epochs. */
  public DoubleParam epochs() {
    return epochs;
  }

  /** Sets the expected number of passes over the data, instead of the number of steps. */
  public DpClassifier setEpochs(double value) {
    set(epochs, value);
    return this;
  }

  /** Returns the parameter for the weight decay. */
  public DoubleParam weightDecay() {
    return weightDecay;
  }

  /** Sets the strength of the L2 regularization, which acts inside the clip. */
  public DpClassifier setWeightDecay(double value) {
    set(weightDecay, value);
    return this;
  }

  /** Returns the parameter for the learning rate. */
  public DoubleParam learningRate() {
    return learningRate;
  }

  /** Sets the learning rate of the optimizer. */
  public DpClassifier setLearningRate(double value) {
    set(learningRate, value);
    return this;
  }

  /** Returns the parameter for the number of features. */
  public IntParam numFeatures() {
    return numFeatures;
  }

  /** Sets the number of features; required if the column has no metadata. */
  public DpClassifier setNumFeatures(int value) {
    set(numFeatures, value);
    return this;
  }

  /** Returns the parameter for the number of classes. */
  public IntParam numClasses() {
    return numClasses;
  }

  /** Sets the publicly declared number of classes. */
  public DpClassifier setNumClasses(int value) {
    set(numClasses, value);
    return this;
  }

  /** Returns the parameter for the budget file. */
  public Param<String> budgetFile() {
    return budgetFile;
  }

  /** Sets the budget file that all fits on these records share. */
  public DpClassifier setBudgetFile(String value) {
    set(budgetFile, value);
    return this;
  }

  /** Returns the parameter for the run directory. */
  public Param<String> runDirectory() {
    return runDirectory;
  }

  /** Sets the directory for ledger and checkpoints. An existing run in it is resumed. */
  public DpClassifier setRunDirectory(String value) {
    set(runDirectory, value);
    return this;
  }

  /** Returns the parameter for the column with the user ID. */
  public Param<String> userCol() {
    return userCol;
  }

  /**
   * Sets the column with the user ID, which protects all rows of a user together; empty to protect
   * single rows.
   */
  public DpClassifier setUserCol(String value) {
    set(userCol, value);
    return this;
  }

  /** Returns the parameter for the maximum number of rows per user. */
  public IntParam rowsPerUser() {
    return rowsPerUser;
  }

  /** Sets the maximum number of rows used per user. */
  public DpClassifier setRowsPerUser(int value) {
    set(rowsPerUser, value);
    return this;
  }

  /** Returns the parameter for the insecure seed. */
  public LongParam insecureSeed() {
    return insecureSeed;
  }

  /** Sets a seed for all randomness, for experiments. Such a model has no privacy guarantee. */
  public DpClassifier setInsecureSeed(long value) {
    set(insecureSeed, value);
    return this;
  }
}
