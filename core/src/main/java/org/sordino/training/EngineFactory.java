package org.sordino.training;

import java.io.Serializable;
import java.util.HexFormat;
import java.util.List;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;

/**
 * Makes the engine of a model over records that somebody else holds: a process, or every executor
 * of a cluster for its part of the table. It travels to them, so it holds the model's shape and
 * neither records nor secrets.
 */
public interface EngineFactory extends Serializable {

  /** The vectors that a record yields. */
  Layout layout();

  /** How many features a record has. */
  int inputs();

  /**
   * What is wrong with records that the model cannot take, in words that tell nothing about any one
   * of them; empty if nothing is.
   */
  String refusal(Examples examples);

  /**
   * A factory of engines for another kind of records, with metrics.
   *
   * @param metrics what else a record yields, as the plan lists it
   * @param unit what a record is
   */
  EngineFactory with(List<Layout.Vector> metrics, Unit unit);

  /**
   * The engine over some records.
   *
   * @param records which examples make up which record
   * @param threads how many it may use; the sums do not depend on it
   */
  GradientEngine open(Examples examples, Records records, int threads);

  /** The engine over some examples, each of them a record. */
  default GradientEngine open(Examples examples, int threads) {
    return open(examples, Records.examples(examples.size()), threads);
  }

  /** As {@link GradientEngine#roundingSlack}; the same for any records. */
  default double roundingSlack() {
    try (GradientEngine engine = open(Examples.none(inputs()), 1)) {
      return engine.roundingSlack();
    }
  }

  /** All that may change a bit of a sum besides the records, for a fingerprint. */
  default String pins() {
    try (GradientEngine engine = open(Examples.none(inputs()), 1)) {
      return HexFormat.of().formatHex(engine.fingerprint(RandomKey.insecure(0)));
    }
  }

  /** Linear, logistic or softmax regression. */
  static EngineFactory linear(LinearModel model) {
    return new LinearFactory(model, List.of(), Unit.example());
  }

  /** What is wrong with targets that must be classes; empty if nothing is. */
  static String refuseOtherClasses(Examples examples, int classes) {
    for (float target : examples.targets()) {
      if (!(target >= 0 && target < classes && target == (int) target)) {
        return "labels must be the classes 0 to " + (classes - 1) + ", got others; correct them";
      }
    }
    return "";
  }
}
