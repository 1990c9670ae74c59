package org.sordino.training;

import java.util.Map;

/**
 * Receives what a run releases while it trains. All arguments are differentially private outputs
 * that the ledger covers.
 */
public interface TrainingListener {

  /**
   * Called once before the first step of this process.
   *
   * @param answers answers to the private queries of the plan by name; empty if it has no queries
   */
  default void queriesAnswered(Map<String, double[]> answers) {}

  /**
   * Called after each step.
   *
   * @param steps number of completed steps
   * @param theta the parameters; must not be changed, and change with the next step
   * @param metrics noisy values of the metrics in the plan
   */
  default void stepCompleted(long steps, double[] theta, Map<Metric.Kind, double[]> metrics) {}

  /** An action on the parameters. */
  @FunctionalInterface
  interface Action {

    /**
     * Called after each step.
     *
     * @param steps number of completed steps
     * @param theta the parameters; must not be changed, and change with the next step
     */
    void accept(long steps, double[] theta);
  }

  /** Returns a listener that runs an action after each step. */
  static TrainingListener afterStep(Action action) {
    return new TrainingListener() {
      @Override
      public void stepCompleted(long steps, double[] theta, Map<Metric.Kind, double[]> metrics) {
        action.accept(steps, theta);
      }
    };
  }
}
