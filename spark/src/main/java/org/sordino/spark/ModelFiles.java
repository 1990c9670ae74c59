package org.sordino.spark;

import java.util.List;
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
import org.sordino.training.LinearModel;

/** A saved model: parameters as Spark ML saves them, and weights and cost as a table beside. */
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

  /** Writes. */
  static final class Writer extends MLWriter {

    private final DpClassificationModel model;

    Writer(DpClassificationModel model) {
      this.model = model;
    }

    @Override
    public void saveImpl(String path) {
      new DefaultParamsWriter(model).saveImpl(path);
      Learner learner = model.learner();
      Price price = model.price();
      Row row =
          RowFactory.create(
              learner instanceof Learner.Linear linear ? linear.model().kind().name() : NETWORK,
              learner.factory().inputs(),
              learner instanceof Learner.Linear linear
                  ? linear.model().outputs()
                  : learner.classes(),
              learner instanceof Learner.Network network ? network.json() : "",
              Vectors.dense(model.weights()),
              price.epsilon(),
              price.delta(),
              price.steps());
      sparkSession()
          .createDataFrame(List.of(row), COLUMNS)
          .coalesce(1)
          .write()
          .parquet(path + DATA);
    }
  }

  /** Reads. */
  static final class Reader extends MLReader<DpClassificationModel> {

    @Override
    public DpClassificationModel load(String path) {
      Row row = sparkSession().read().schema(COLUMNS).parquet(path + DATA).head();
      Price price = new Price(row.getDouble(5), row.getDouble(6), row.getLong(7));
      double[] weights = ((Vector) row.get(4)).toArray();
      return new DefaultParamsReader<DpClassificationModel>()
          .load(path)
          .with(learner(row), weights, price);
    }

    private static Learner learner(Row row) {
      return row.getString(0).equals(NETWORK)
          ? new Learner.Network(row.getString(3))
          : new Learner.Linear(
              new LinearModel(
                  LinearModel.Kind.valueOf(row.getString(0)), row.getInt(1), row.getInt(2)));
    }
  }
}
