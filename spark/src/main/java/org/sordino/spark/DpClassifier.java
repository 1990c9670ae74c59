package org.sordino.spark;

import static org.apache.spark.sql.functions.col;

import java.nio.file.Path;
import java.util.UUID;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.linalg.Vector;
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
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.sordino.cli.BudgetFile;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/**
 * Private logistic regression (softmax for more than two classes) as an estimator of Spark ML.
 *
 * <pre>{@code
 * new DpClassifier()
 *     .setFeaturesCol("features").setLabelCol("label")
 *     .setEpsilon(1).setDelta(1e-6).setPopulation(1_000_000)
 *     .fit(table)
 * }</pre>
 *
 * <p>What is protected is one row. Population, number of classes and of features, and the scale of
 * the features are public declarations: features should lie within about [-1, 1], scaled by bounds
 * that are known without the records. A fit inside a tuning tool, or a second one, needs {@link
 * #budgetFile}, which adds up what they cost.
 */
public final class DpClassifier extends Estimator<DpClassificationModel> implements MLWritable {

  private static final long serialVersionUID = 1;

  private final String uid;
  private final Param<String> featuresCol;
  private final Param<String> labelCol;
  private final Param<String> predictionCol;
  private final Param<String> probabilityCol;
  private final Param<String> unitCol;
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
  private final Param<String> budgetFile;
  private final Param<String> runDirectory;
  private final LongParam insecureSeed;

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
    unitCol = make.text("unitCol", "column that names who is protected; empty: each row");
    epsilon = make.real("epsilon", "what the fit may cost");
    delta = make.real("delta", "probability with which the bound may fail");
    clip = make.real("clip", "bound on a row's gradient norm; 0: 0.5 sqrt(1 + features)");
    expectedBatch = make.real("expectedBatch", "rows in a step, on average; 0: population / 8");
    population = make.whole("population", "how many rows there are, as publicly declared");
    steps = make.whole("steps", "number of steps; 0: see epochs");
    epochs = make.real("epochs", "how often a row is drawn, instead of steps; 0: see steps");
    weightDecay = make.real("weightDecay", "L2 regularisation, inside the clip");
    learningRate = make.real("learningRate", "of SGD with momentum 0.9, falling to 0");
    numClasses = make.count("numClasses", "how many classes there are, as publicly declared");
    budgetFile = make.text("budgetFile", "a budget that all fits on these records share");
    runDirectory = make.text("runDirectory", "where ledger and checkpoints go; resumes a run");
    insecureSeed = make.whole("insecureSeed", "takes all randomness from a seed: no privacy");
    setDefault(featuresCol, "features").setDefault(labelCol, "label");
    setDefault(predictionCol, "prediction").setDefault(probabilityCol, "probability");
    setDefault(unitCol, "").setDefault(budgetFile, "").setDefault(runDirectory, "");
    setDefault(delta, 1e-5).setDefault(clip, 0.0).setDefault(expectedBatch, 0.0);
    setDefault(steps, 0L).setDefault(epochs, 0.0).setDefault(weightDecay, 0.0);
    setDefault(learningRate, 0.5).setDefault(numClasses, 2);
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
    LinearModel model = model(width(dataset));
    TrainingPlan plan = new DpPlan(this).plan(model);
    Spending spending = spending(plan);
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), rows(dataset, model))) {
      Trainer trainer = Trainer.of(plan, engine);
      if (isSet(insecureSeed)) {
        trainer.insecureSeed((Long) getOrDefault(insecureSeed));
      }
      TrainingResult result = execute(trainer);
      spending.settle(result);
      return new DpClassificationModel(
              uid, model, result.weights(), Price.of(result, (Double) getOrDefault(delta)))
          .named(text(featuresCol), text(predictionCol), text(probabilityCol));
    }
  }

  private TrainingResult execute(Trainer trainer) {
    String directory = text(runDirectory);
    return directory.isEmpty() ? trainer.run() : trainer.in(Path.of(directory)).resume();
  }

  /** Somebody who is told what the fit cost. */
  private interface Spending {
    void settle(TrainingResult result);
  }

  private Spending spending(TrainingPlan plan) {
    String file = text(budgetFile);
    if (file.isEmpty()) {
      FitGuard.requireFirst(uid);
      return result -> {};
    }
    String directory = text(runDirectory);
    BudgetFile budget = BudgetFile.open(Path.of(file));
    String id = directory.isEmpty() ? uid + "-" + UUID.randomUUID() : directory;
    budget.reserve(id, directory.isEmpty() ? uid : directory, plan.privacy().event());
    return result -> budget.settle(id, result.ledger().event());
  }

  private LinearModel model(int width) {
    int classes = (Integer) getOrDefault(numClasses);
    if (classes < 2) {
      throw new IllegalArgumentException(
          "numClasses must be at least 2, got " + classes + "; declare all classes");
    }
    return classes == 2 ? LinearModel.logistic(width) : LinearModel.softmax(width, classes);
  }

  /** From the metadata of the column; else of the first row: it is a public number either way. */
  private int width(Dataset<?> dataset) {
    String column = text(featuresCol);
    int known = AttributeGroup.fromStructField(dataset.schema().apply(column)).size();
    if (known > 0) {
      return known;
    }
    Row first = dataset.select(col(column)).head();
    return ((Vector) first.get(0)).size();
  }

  private JavaRDD<Examples> rows(Dataset<?> dataset, LinearModel model) {
    return dataset
        .select(col(text(featuresCol)), col(text(labelCol)).cast("double"))
        .javaRDD()
        .mapPartitions(new RowExamples(model.inputs()), true);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    if (!text(unitCol).isEmpty()) {
      throw new IllegalArgumentException(
          "unitCol must be empty, got "
              + text(unitCol)
              + "; rows are protected one by one, people with several rows are not yet: bring each"
              + " person's rows into one");
    }
    Columns.requireVector(schema, text(featuresCol));
    Columns.requireNumber(schema, text(labelCol));
    return Columns.withPrediction(schema, text(predictionCol), text(probabilityCol));
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

  /** The column that names who is protected. */
  public Param<String> unitCol() {
    return unitCol;
  }

  /** The column that names who is protected. */
  public DpClassifier setUnitCol(String value) {
    set(unitCol, value);
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

  /** How many rows there are, as publicly declared. */
  public LongParam population() {
    return population;
  }

  /** How many rows there are, as publicly declared. */
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

  /** L2 regularisation, inside the clip. */
  public DoubleParam weightDecay() {
    return weightDecay;
  }

  /** L2 regularisation, inside the clip. */
  public DpClassifier setWeightDecay(double value) {
    set(weightDecay, value);
    return this;
  }

  /** Of SGD with momentum. */
  public DoubleParam learningRate() {
    return learningRate;
  }

  /** Of SGD with momentum. */
  public DpClassifier setLearningRate(double value) {
    set(learningRate, value);
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
