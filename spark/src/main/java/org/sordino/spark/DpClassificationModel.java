package org.sordino.spark;

import java.util.Arrays;
import java.util.UUID;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.sordino.run.Learner;

/** A model trained by {@link DpClassifier}: the released weights and their privacy cost. */
public final class DpClassificationModel extends Model<DpClassificationModel>
    implements MLWritable {

  private static final long serialVersionUID = 1;

  private final String uid;
  private final Param<String> featuresCol;
  private final Param<String> predictionCol;
  private final Param<String> probabilityCol;
  private @Nullable Learner learner;
  private double[] weights;
  private @Nullable FitCost cost;

  /** Creates an empty model for the reader of saved models, which sets its parameters. */
  public DpClassificationModel(String uid) {
    this.uid = uid;
    this.weights = new double[0];
    DpParams make = new DpParams(this);
    featuresCol = make.text("featuresCol", "column of feature vectors");
    predictionCol = make.text("predictionCol", "column for the predicted class (empty: none)");
    probabilityCol =
        make.text("probabilityCol", "column for the class probabilities (empty: none)");
    setDefault(featuresCol, "features").setDefault(predictionCol, "prediction");
    setDefault(probabilityCol, "probability");
  }

  /** Creates an empty model. */
  public DpClassificationModel() {
    this("dpClassificationModel_" + UUID.randomUUID().toString().substring(0, 12));
  }

  DpClassificationModel named(String features, String prediction, String probability) {
    return setFeaturesCol(features).setPredictionCol(prediction).setProbabilityCol(probability);
  }

  /** Sets the weights and their cost. */
  DpClassificationModel with(Learner fitted, double[] values, FitCost spent) {
    learner = fitted;
    weights = values.clone();
    cost = spent;
    return this;
  }

  @Override
  public String uid() {
    return uid;
  }

  /** Returns all weights; for a linear model, the matrix row by row, then the bias. */
  public double[] weights() {
    return weights.clone();
  }

  /** Returns the certified epsilon of the fit at {@link #delta}; infinite for an insecure seed. */
  public double epsilon() {
    return cost().epsilon();
  }

  /** Returns the delta at which {@link #epsilon} holds. */
  public double delta() {
    return cost().delta();
  }

  /** Returns the number of classes; 1 if the model predicts a number. */
  public int numClasses() {
    return Math.max(1, learner().classes());
  }

  Learner learner() {
    return fitted(learner);
  }

  FitCost cost() {
    return fitted(cost);
  }

  private static <T> T fitted(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException(
          "the model has no weights; fit a DpClassifier or load a saved model");
    }
    return value;
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    StructType extended = transformSchema(dataset.schema());
    Predictions predictions =
        new Predictions(
            learner(),
            weights,
            dataset.schema().fieldIndex(getOrDefault(featuresCol)),
            !probabilities().isEmpty(),
            !getOrDefault(predictionCol).isEmpty());
    Dataset<Row> rows = dataset.toDF().mapPartitions(predictions, Encoders.row(extended));
    return rows.select(
        Arrays.stream(extended.fields())
            .map(field -> rows.col("`" + field.name() + "`").as(field.name(), field.metadata()))
            .toArray(Column[]::new)); // mapPartitions drops the metadata of the columns
  }

  /** Returns the column for the probabilities; empty if the model has none. */
  private String probabilities() {
    return numClasses() == 1 ? "" : getOrDefault(probabilityCol);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    Columns.requireVector(schema, getOrDefault(featuresCol));
    return Columns.withPrediction(schema, getOrDefault(predictionCol), probabilities());
  }

  @Override
  public DpClassificationModel copy(ParamMap extra) {
    DpClassificationModel copy = new DpClassificationModel(uid).with(learner(), weights, cost());
    copyValues(copy, extra).setParent(parent());
    return copy;
  }

  @Override
  public MLWriter write() {
    return new ModelFiles.Writer(this);
  }

  /** Returns a reader of saved models. */
  public static MLReader<DpClassificationModel> read() {
    return new ModelFiles.Reader();
  }

  /** Reads a saved model. */
  public static DpClassificationModel load(String path) {
    return read().load(path);
  }

  /** Returns the parameter for the column of feature vectors. */
  public Param<String> featuresCol() {
    return featuresCol;
  }

  /** Sets the column of feature vectors. */
  public DpClassificationModel setFeaturesCol(String value) {
    set(featuresCol, value);
    return this;
  }

  /** Returns the parameter for the column of predicted classes. */
  public Param<String> predictionCol() {
    return predictionCol;
  }

  /** Sets the column of predicted classes; empty for none. */
  public DpClassificationModel setPredictionCol(String value) {
    set(predictionCol, value);
    return this;
  }

  /** Returns the parameter for the column of class probabilities. */
  public Param<String> probabilityCol() {
    return probabilityCol;
  }

  /** Sets the column of class probabilities; empty for none. */
  public DpClassificationModel setProbabilityCol(String value) {
    set(probabilityCol, value);
    return this;
  }
}
