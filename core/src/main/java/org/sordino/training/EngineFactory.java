package org.sordino.training;

import java.io.Serializable;
import java.util.HexFormat;
import java.util.List;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;

/**
 * Creates the engine of a model over records held by another process or by the executors of a
 * cluster, each of which has a part of the table. The factory is serialized and sent to them, so it
 * contains the shape of the model, but neither records nor secrets.
 */
public interface EngineFactory extends Serializable {

  /** Returns the vectors that a record contributes. */
  Layout layout();

  /** Returns the number of features of an example. */
  int inputs();

  /**
   * Returns the reason why the model cannot be trained on the examples, or an empty string if it
   * can. The reason reveals nothing about any single record.
   */
  String refusal(Examples examples);

  /**
   * Returns a factory of engines for another unit and with metrics.
   *
   * @param metrics vectors of the metrics, in the order of the plan
   * @param unit unit of protection: what one record represents
   */
  EngineFactory with(List<Layout.Vector> metrics, Unit unit);

  /**
   * Opens an engine over records.
   *
   * @param examples the examples of all records
   * @param records assignment of examples to records
   * @param threads maximum number of threads; the sums do not depend on it
   */
  GradientEngine open(Examples examples, Records records, int threads);

  /** Opens an engine over examples, each of which is a record. */
  default GradientEngine open(Examples examples, int threads) {
    return open(examples, Records.examples(examples.size()), threads);
  }

  /** Returns {@link GradientEngine#roundingSlack}, which is the same for all records. */
  default double roundingSlack() {
    try (GradientEngine engine = open(Examples.none(inputs()), 1)) {
      return engine.roundingSlack();
    }
  }

  /**
   * Returns everything that may change a bit of a sum except the records, for use in a fingerprint.
   */
  default String pins() {
    try (GradientEngine engine = open(Examples.none(inputs()), 1)) {
      return HexFormat.of().formatHex(engine.fingerprint(RandomKey.insecure(0)));
    }
  }

  /** Returns the factory of linear, logistic or softmax regression. */
  static EngineFactory linear(LinearModel model) {
    return new LinearFactory(model, List.of(), Unit.example());
  }

  /**
   * Returns an error message if a target is not a class of the model, otherwise an empty string.
   */
  static String refuseOtherClasses(Examples examples, int classes) {
    for (float target : examples.targets()) {
      if (!(target >= 0 && target < classes && target == (int) target)) {
        return "labels must be classes 0 to " + (classes - 1) + ", got other values; correct them";
      }
    }
    return "";
  }
}
