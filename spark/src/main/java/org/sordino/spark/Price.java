package org.sordino.spark;

import java.io.Serializable;
import org.sordino.ledger.Header;
import org.sordino.training.TrainingResult;

/**
 * What a model cost, for those who have only the model.
 *
 * @param epsilon the certified upper end; infinite where the randomness came from a seed
 * @param delta at which it holds
 * @param steps that were executed
 */
record Price(double epsilon, double delta, long steps) implements Serializable {

  static Price of(TrainingResult result, double delta) {
    boolean secret = result.ledger().header().randomness().equals(Header.SECURE);
    double epsilon = secret ? result.guarantee(delta).epsilon() : Double.POSITIVE_INFINITY;
    return new Price(epsilon, delta, result.steps());
  }
}
