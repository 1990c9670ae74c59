package org.sordino.spark;

import java.io.Serializable;
import org.sordino.ledger.Header;
import org.sordino.training.TrainingResult;

/**
 * The privacy cost of a fit, stored with the model.
 *
 * @param epsilon the certified upper end; infinite if the randomness came from a seed
 * @param delta the delta at which it holds
 * @param steps the number of executed steps
 */
record FitCost(double epsilon, double delta, long steps) implements Serializable {

  static FitCost of(TrainingResult result, double delta) {
    boolean secret = result.ledger().header().randomness().equals(Header.SECURE);
    double epsilon = secret ? result.guarantee(delta).epsilon() : Double.POSITIVE_INFINITY;
    return new FitCost(epsilon, delta, result.steps());
  }
}
