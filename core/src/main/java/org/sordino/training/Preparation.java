package org.sordino.training;

import java.util.Map;
import org.sordino.random.RandomKey;

/**
 * Records about which the plan asks queries before they can be trained on. A trainer asks them, and
 * opens the engine with the answers.
 */
public interface Preparation {

  /** An engine whose sum over all records answers a query of the plan. */
  GradientEngine asking(PrivateQuery query);

  /** The engine to train with; an answer for every query of the plan. */
  GradientEngine answered(Map<String, double[]> answers);

  /**
   * A keyed digest of the records and of every choice that may change a bit of an answer or, given
   * the answers, of a sum.
   */
  byte[] fingerprint(RandomKey key);
}
