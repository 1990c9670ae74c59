package org.sordino.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;

import java.util.UUID;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.sordino.training.LinearModel;

/** What {@link DpClassifier} makes: weights that were released, and what they cost. */
public final class DpClassificationModel extends Model<DpClassificationModel>
    implements MLWritable {

  private static final long serialVersionUID = 1;

  private final String uid;
  private final Param<String> featuresCol;
  private final Param<String> predictionCol;
  private final Param<String> probabilityCol;
  private @Nullable LinearModel model;
  private double[] weights;
  private @Nullable Price price;

  DpClassificationModel(String uid, LinearModel model, double[] weights, Price price) {
    this(uid);
    this.model = model;
    this.weights = weights.clone();
    this.price = price;
  }

  /** For the reader of saved models, which sets the parameters of a blank one. */
  public DpClassificationModel(String uid) {
    this.uid = uid;
    this.weights = new double[0];
    DpParams make = new DpParams(this);
    featuresCol = make.text("featuresCol", "column of feature vectors");
    predictionCol = make.text("predictionCol", "column for the class; empty for none");
    probabilityCol = make.text("probabilityCol", "column for probabilities; empty for none");
    setDefault(featuresCol, "features").setDefault(predictionCol, "prediction");
    setDefault(probabilityCol, "probability");
  }

  /** A blank one. */
  public DpClassificationModel() {
    this("dpClassificationModel_" + UUID.randomUUID().toString().substring(0, 12));
  }

  DpClassificationModel named(String features, String prediction, String probability) {
    return setFeaturesCol(features).setPredictionCol(prediction).setProbabilityCol(probability);
  }

  /** The same parameters with the weights that go with them. */
  DpClassificationModel with(LinearModel shape, double[] values, Price paid) {
    model = shape;
    weights = values.clone();
    price = paid;
    return this;
  }

  @Override
  public String uid() {
    return uid;
  }

  /** All parameters: the matrix row by row, then the bias. */
  public double[] weights() {
    return weights.clone();
  }

  /** The certified epsilon of the fit at {@link #delta}; infinite if it had an insecure seed. */
  public double epsilon() {
    return price().epsilon();
  }

  /** The delta at which {@link #epsilon} holds. */
  public double delta() {
    return price().delta();
  }

  /** How many classes there are. */
  public int numClasses() {
    return Math.max(2, shape().outputs());
  }

  LinearModel shape() {
    return fitted(model);
  }

  Price price() {
    return fitted(price);
  }

  private static <T> T fitted(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a model must come from a fit or a file, got a blank one");
    }
    return value;
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    transformSchema(dataset.schema());
    String probability = getOrDefault(probabilityCol);
    String prediction = getOrDefault(predictionCol);
    Dataset<Row> table = dataset.toDF();
    Predictor predictor = new Predictor(shape(), weights);
    if (!probability.isEmpty()) {
      UDF1<Vector, Vector> function = predictor::probabilities;
      UserDefinedFunction call = udf(function, SQLDataTypes.VectorType()).asNonNullable();
      table = table.withColumn(probability, call.apply(col(getOrDefault(featuresCol))));
    }
    if (!prediction.isEmpty()) {
      UDF1<Vector, Double> function = predictor::likeliest;
      UserDefinedFunction call = udf(function, DataTypes.DoubleType).asNonNullable();
      table = table.withColumn(prediction, call.apply(col(getOrDefault(featuresCol))));
    }
    return table;
  }

  @Override
  public StructType transformSchema(StructType schema) {
    Columns.requireVector(schema, getOrDefault(featuresCol));
    return Columns.withPrediction(
        schema, getOrDefault(predictionCol), getOrDefault(probabilityCol));
  }

  @Override
  public DpClassificationModel copy(ParamMap extra) {
    DpClassificationModel copy = new DpClassificationModel(uid).with(shape(), weights, price());
    copyValues(copy, extra).setParent(parent());
    return copy;
  }

  @Override
  public MLWriter write() {
    return new ModelFiles.Writer(this);
  }

  /** Reads models that were saved. */
  public static MLReader<DpClassificationModel> read() {
    return new ModelFiles.Reader();
  }

  /** Reads a model that was saved. */
  public static DpClassificationModel load(String path) {
    return read().load(path);
  }

  /** The column of feature vectors. */
  public Param<String> featuresCol() {
    return featuresCol;
  }

  /** The column of feature vectors. */
  public DpClassificationModel setFeaturesCol(String value) {
    set(featuresCol, value);
    return this;
  }

  /** The column for the class. */
  public Param<String> predictionCol() {
    return predictionCol;
  }

  /** The column for the class; empty for none. */
  public DpClassificationModel setPredictionCol(String value) {
    set(predictionCol, value);
    return this;
  }

  /** The column for the probabilities. */
  public Param<String> probabilityCol() {
    return probabilityCol;
  }

  /** The column for the probabilities; empty for none. */
  public DpClassificationModel setProbabilityCol(String value) {
    set(probabilityCol, value);
    return this;
  }
}
