package org.sordino.spark;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.sordino.run.Learner;
import org.sordino.training.LinearModel;

/**
 * The files of a saved model: parameters as Spark ML saves them, and a table with weights and cost.
 */
final class ModelFiles {

  private static final String DATA = "/data";
  private static final String NETWORK = "NETWORK";

  private static final StructType COLUMNS =
      new StructType()
          .add("kind", DataTypes.StringType)
          .add("inputs", DataTypes.IntegerType)
          .add("outputs", DataTypes.IntegerType)
          .add("architecture", DataTypes.StringType)
          .add("weights", SQLDataTypes.VectorType())
          .add("epsilon", DataTypes.DoubleType)
          .add("delta", DataTypes.DoubleType)
          .add("steps", DataTypes.LongType);

  private ModelFiles() {}

  /** Writes a model. */
  static final class Writer extends MLWriter {

    private final DpClassificationModel model;

    Writer(DpClassificationModel model) {
      this.model = model;
    }

    @Override
    public void saveImpl(String path) {
      new DefaultParamsWriter(model).saveImpl(path);
      Learner learner = model.learner();
      Map<String, @Nullable Object> json = learner.modelJson();
      FitCost cost = model.cost();
      Row row =
          RowFactory.create(
              String.valueOf(json.get("kind")).toUpperCase(Locale.ROOT),
              learner.inputs(),
              json.get("outputs") instanceof Number outputs
                  ? outputs.intValue()
                  : learner.classes(),
              NetworkLearners.architecture(learner),
              Vectors.dense(model.weights()),
              cost.epsilon(),
              cost.delta(),
              cost.steps());
      sparkSession()
          .createDataFrame(List.of(row), COLUMNS)
          .coalesce(1)
          .write()
          .parquet(path + DATA);
    }
  }

  /** Reads a model. */
  static final class Reader extends MLReader<DpClassificationModel> {

    @Override
    public DpClassificationModel load(String path) {
      Row row = sparkSession().read().schema(COLUMNS).parquet(path + DATA).head();
      FitCost cost = new FitCost(row.getDouble(5), row.getDouble(6), row.getLong(7));
      double[] weights = ((Vector) row.get(4)).toArray();
      return new DefaultParamsReader<DpClassificationModel>()
          .load(path)
          .with(learner(row), weights, cost);
    }

    private static Learner learner(Row row) {
      return row.getString(0).equals(NETWORK)
          ? NetworkLearners.of(row.getString(3))
          : Learner.linear(
              new LinearModel(
                  LinearModel.Kind.valueOf(row.getString(0)), row.getInt(1), row.getInt(2)));
    }
  }
}
