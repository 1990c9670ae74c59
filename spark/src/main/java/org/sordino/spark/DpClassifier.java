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
import org.sordino.run.ModelShape;
import org.sordino.run.Preprocessing;
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
 * Private classification as an estimator of Spark ML: logistic or softmax regression, or a network
 * with {@link #setArchitecture}; {@code setFamily("linear")} predicts a number instead.
 *
 * <pre>{@code
 * new DpClassifier()
 *     .setFeaturesCol("features").setLabelCol("label")
 *     .setEpsilon(1).setDelta(1e-6).setPopulation(1_000_000)
 *     .fit(table)
 * }</pre>
 *
 * <p>What is protected is one row, or with {@link #setUserCol} all rows of a user. Population,
 * number of classes and of features, and the scale of the features are public declarations:
 * features should lie within about [-1, 1], scaled by bounds that are known without the records. A
 * fit inside a tuning tool, or a second one, needs {@link #budgetFile}, which adds up what they
 * cost.
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

  /** An estimator with a name of its own. */
  public DpClassifier() {
    this("dpClassifier_" + UUID.randomUUID().toString().substring(0, 12));
  }

  /** An estimator with a given name; parameters are made here, after it, because they carry it. */
  public DpClassifier(String uid) {
    this.uid = uid;
    DpParams make = new DpParams(this);
    featuresCol = make.text("featuresCol", "column of feature vectors");
    labelCol = make.text("labelCol", "column of classes 0, 1, ...");
    predictionCol = make.text("predictionCol", "column for the class; empty for none");
    probabilityCol = make.text("probabilityCol", "column for probabilities; empty for none");
    family = make.text("family", "auto, logistic, softmax, or linear for a number");
    architecture = make.text("architecture", "a network as JSON instead; empty for none");
    epsilon = make.real("epsilon", "what the fit may cost");
    delta = make.real("delta", "probability with which the bound may fail");
    clip = make.real("clip", "bound on the gradient norm of a row, or user; 1 if not set");
    expectedBatch =
        make.real(
            "expectedBatch", "rows, or users, in a step, on average; a public default if not set");
    population = make.whole("population", "how many rows, or users, as publicly declared");
    steps = make.whole("steps", "number of steps; a public default if not set");
    epochs = make.real("epochs", "how often a row is drawn, instead of steps");
    weightDecay = make.real("weightDecay", "L2 regularisation, inside the clip");
    learningRate = make.real("learningRate", "of the optimiser; a public default if not set");
    numClasses = make.count("numClasses", "how many classes there are, as publicly declared");
    numFeatures = make.count("numFeatures", "of a row, if its column does not say; declared");
    budgetFile = make.text("budgetFile", "a budget that all fits on these records share");
    runDirectory = make.text("runDirectory", "where ledger and checkpoints go; resumes a run");
    insecureSeed = make.whole("insecureSeed", "takes all randomness from a seed: no privacy");
    userCol = make.text("userCol", "column that says whose a row is; empty to protect rows");
    rowsPerUser = make.count("rowsPerUser", "how many rows of a user count");
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
   * Trains.
   *
   * @throws IllegalArgumentException naming the parameter or column that must be mended
   * @throws IllegalStateException if it would be one of several fits that no budget adds up
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
      // After the engine has checked the records: unusable ones are not charged.
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

  /** Makes the plan of a fit; parameters that are not set have the defaults of {@code train}. */
  TrainingPlan plan(Learner learner) {
    long rows = (Long) required(population, "how many rows, or users, there are");
    DpParams.require("population", rows, n -> n >= 1, "at least 1", "declare the rows, or users");
    ModelShape shape =
        new ModelShape(
            learner.factory().layout(),
            learner.classes(),
            learner.inputs(),
            learner.inputs(),
            Preprocessing.NONE,
            learner.isNetwork());
    return options(rows).plan(shape, rows);
  }

  private TrainingOptions options(long rows) {
    double cost = (Double) required(epsilon, "what the fit may cost");
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
      throw new IllegalArgumentException("steps and epochs must not both be set; clear one");
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
      throw new IllegalArgumentException(
          param.name() + " must be set, got nothing; it is " + meaning);
    }
    return getOrDefault(param);
  }

  /** Reserves the cost of the fit in the budget; a resumed run has its reservation already. */
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
          "family and architecture must not both be set, got " + text(family) + "; set one");
    }
    if (learner.classes() != classes()) {
      throw new IllegalArgumentException(
          "architecture must have one output per class, got %d outputs for %d; set numClasses"
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

  /** From the metadata of the column, or declared: a row must not decide on the model's shape. */
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
              + " must say how many features it has, got no metadata; use a VectorAssembler or set"
              + " numFeatures");
    }
    return declared;
  }

  private SparkEngine engine(EngineFactory factory, Dataset<?> dataset) {
    RowExamples examples = new RowExamples(factory.inputs());
    Column features = col(text(featuresCol));
    Column label = col(text(labelCol)).cast("double");
    if (!protectsUsers()) {
      JavaRDD<Row> rows = dataset.select(features, label).javaRDD();
      return SparkEngine.of(factory, rows.mapPartitions(examples, true));
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

  /** Reads estimators that were saved. */
  public static MLReader<DpClassifier> read() {
    return new DefaultParamsReader<>();
  }

  /** Reads an estimator that was saved. */
  public static DpClassifier load(String path) {
    return read().load(path);
  }

  private String text(Param<String> param) {
    return getOrDefault(param);
  }

  /** The column of feature vectors. */
  public Param<String> featuresCol() {
    return featuresCol;
  }

  /** The column of feature vectors. */
  public DpClassifier setFeaturesCol(String value) {
    set(featuresCol, value);
    return this;
  }

  /** The column of classes 0, 1, and so on. */
  public Param<String> labelCol() {
    return labelCol;
  }

  /** The column of classes 0, 1, and so on. */
  public DpClassifier setLabelCol(String value) {
    set(labelCol, value);
    return this;
  }

  /** The column for the class. */
  public Param<String> predictionCol() {
    return predictionCol;
  }

  /** The column for the class. */
  public DpClassifier setPredictionCol(String value) {
    set(predictionCol, value);
    return this;
  }

  /** The column for the probabilities. */
  public Param<String> probabilityCol() {
    return probabilityCol;
  }

  /** The column for the probabilities. */
  public DpClassifier setProbabilityCol(String value) {
    set(probabilityCol, value);
    return this;
  }

  /** Which linear model: auto, logistic, softmax, or linear for a number. */
  public Param<String> family() {
    return family;
  }

  /** Which linear model: auto, logistic, softmax, or linear for a number. */
  public DpClassifier setFamily(String value) {
    set(family, value);
    return this;
  }

  /** A network, as JSON, instead of a linear model. */
  public Param<String> architecture() {
    return architecture;
  }

  /** A network, as JSON, instead of a linear model. */
  public DpClassifier setArchitecture(String value) {
    set(architecture, value);
    return this;
  }

  /** What the fit may cost. */
  public DoubleParam epsilon() {
    return epsilon;
  }

  /** What the fit may cost. */
  public DpClassifier setEpsilon(double value) {
    set(epsilon, value);
    return this;
  }

  /** The probability with which the bound may fail. */
  public DoubleParam delta() {
    return delta;
  }

  /** The probability with which the bound may fail. */
  public DpClassifier setDelta(double value) {
    set(delta, value);
    return this;
  }

  /** The bound on a row's gradient norm. */
  public DoubleParam clip() {
    return clip;
  }

  /** The bound on a row's gradient norm. */
  public DpClassifier setClip(double value) {
    set(clip, value);
    return this;
  }

  /** How many rows a step draws on average. */
  public DoubleParam expectedBatch() {
    return expectedBatch;
  }

  /** How many rows a step draws on average. */
  public DpClassifier setExpectedBatch(double value) {
    set(expectedBatch, value);
    return this;
  }

  /** How many rows there are, or users, as publicly declared. */
  public LongParam population() {
    return population;
  }

  /** How many rows there are, or users, as publicly declared. */
  public DpClassifier setPopulation(long value) {
    set(population, value);
    return this;
  }

  /** How many steps. */
  public LongParam steps() {
    return steps;
  }

  /** How many steps. */
  public DpClassifier setSteps(long value) {
    set(steps, value);
    return this;
  }

  /** How often a row is drawn, instead of steps. */
  public DoubleParam epochs() {
    return epochs;
  }

  /** How often a row is drawn, instead of steps. */
  public DpClassifier setEpochs(double value) {
    set(epochs, value);
    return this;
  }

  /** L2 regularization, inside the clip. */
  public DoubleParam weightDecay() {
    return weightDecay;
  }

  /** L2 regularization, inside the clip. */
  public DpClassifier setWeightDecay(double value) {
    set(weightDecay, value);
    return this;
  }

  /** Of the optimizer. */
  public DoubleParam learningRate() {
    return learningRate;
  }

  /** Of the optimizer. */
  public DpClassifier setLearningRate(double value) {
    set(learningRate, value);
    return this;
  }

  /** How many features a row has; needed where the column has no metadata. */
  public IntParam numFeatures() {
    return numFeatures;
  }

  /** How many features a row has; needed where the column has no metadata. */
  public DpClassifier setNumFeatures(int value) {
    set(numFeatures, value);
    return this;
  }

  /** How many classes there are, as publicly declared. */
  public IntParam numClasses() {
    return numClasses;
  }

  /** How many classes there are, as publicly declared. */
  public DpClassifier setNumClasses(int value) {
    set(numClasses, value);
    return this;
  }

  /** The budget that all fits on these records share. */
  public Param<String> budgetFile() {
    return budgetFile;
  }

  /** The budget that all fits on these records share. */
  public DpClassifier setBudgetFile(String value) {
    set(budgetFile, value);
    return this;
  }

  /** Where ledger and checkpoints go; a run that is there already is resumed. */
  public Param<String> runDirectory() {
    return runDirectory;
  }

  /** Where ledger and checkpoints go; a run that is there already is resumed. */
  public DpClassifier setRunDirectory(String value) {
    set(runDirectory, value);
    return this;
  }

  /** The column that says whose a row is; empty to protect single rows. */
  public Param<String> userCol() {
    return userCol;
  }

  /** The column that says whose a row is: all rows of a user are protected together. */
  public DpClassifier setUserCol(String value) {
    set(userCol, value);
    return this;
  }

  /** How many rows of a user count. */
  public IntParam rowsPerUser() {
    return rowsPerUser;
  }

  /** How many rows of a user count. */
  public DpClassifier setRowsPerUser(int value) {
    set(rowsPerUser, value);
    return this;
  }

  /** Takes all randomness from a seed, for experiments: such a model has no guarantee. */
  public LongParam insecureSeed() {
    return insecureSeed;
  }

  /** Takes all randomness from a seed, for experiments: such a model has no guarantee. */
  public DpClassifier setInsecureSeed(long value) {
    set(insecureSeed, value);
    return this;
  }
}
