package org.sordino.spark;

import java.io.Serializable;
import java.util.Arrays;
import org.sordino.cli.TrainingDefaults;
import org.sordino.random.RandomKey;
import org.sordino.torch.Architecture;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchFactory;
import org.sordino.torch.TorchModel;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;

/** What an estimator can fit: a linear model or a network. It travels to the executors. */
sealed interface Learner extends Serializable {

  /** What executors compute with. */
  EngineFactory factory();

  /** The weights to begin with; public. */
  double[] start();

  /** What is not set, by public numbers. */
  TrainingDefaults defaults(long population);

  /** How many classes there are; 1 if it predicts a number. */
  int classes();

  /** The probabilities of all classes, or the predicted number, record by record. */
  double[][] predict(double[] weights, Examples examples);

  /** Linear, logistic and softmax regression. */
  record Linear(LinearModel model) implements Learner {

    @Override
    public EngineFactory factory() {
      return EngineFactory.linear(model);
    }

    @Override
    public double[] start() {
      return new double[model.layout().dimension()];
    }

    @Override
    public TrainingDefaults defaults(long population) {
      return TrainingDefaults.ofTable(population);
    }

    @Override
    public int classes() {
      return model.kind() == LinearModel.Kind.REGRESSION ? 1 : Math.max(2, model.outputs());
    }

    @Override
    public double[][] predict(double[] weights, Examples examples) {
      double[][] rows = new double[examples.size()][];
      for (int i = 0; i < rows.length; i++) {
        double[] predicted = model.predict(weights, examples, i);
        rows[i] =
            model.kind() == LinearModel.Kind.LOGISTIC
                ? new double[] {1 - predicted[0], predicted[0]}
                : predicted;
      }
      return rows;
    }
  }

  /**
   * A network.
   *
   * @param json its architecture
   */
  record Network(String json) implements Learner {

    /** First weights and dropout masks are public coins; the noise has a secret key. */
    private static final RandomKey COINS = RandomKey.insecure(0);

    private Architecture architecture() {
      return Architecture.fromJson(json);
    }

    @Override
    public EngineFactory factory() {
      return TorchFactory.of(architecture(), Loss.CROSS_ENTROPY, COINS.derive("dropout"));
    }

    @Override
    public double[] start() {
      return architecture().initialWeights(COINS.derive("initialisation"));
    }

    @Override
    public TrainingDefaults defaults(long population) {
      return TrainingDefaults.ofNetwork(population);
    }

    @Override
    public int classes() {
      return Arrays.stream(architecture().output()).reduce(1, Math::multiplyExact);
    }

    @Override
    public double[][] predict(double[] weights, Examples examples) {
      TorchModel model = new TorchModel(architecture(), weights);
      float[] flat = model.probabilities(TorchData.of(examples), 1);
      double[][] rows = new double[examples.size()][classes()];
      int at = 0;
      for (double[] row : rows) {
        for (int k = 0; k < row.length; k++) {
          row[k] = flat[at++];
        }
      }
      return rows;
    }
  }
}
