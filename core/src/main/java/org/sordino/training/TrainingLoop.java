package org.sordino.training;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Head;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.mechanism.Layout;

/**
 * The loop of Algorithm 1 (Abadi et al. 2016, arXiv:1607.00133): reserves steps in the ledger, runs
 * them, and saves checkpoints between them. {@link PrivateStep#run} computes a single step.
 *
 * @param plan the plan
 * @param state the parameters and everything else that changes from step to step
 * @param ledger ledger in which steps are reserved before they are run
 * @param step computes a step; the only part that reads records
 * @param checkpoints saves the state
 * @param listener called before the first step and after each step
 * @param blockSize number of steps in a reservation
 * @param stopped returns whether to end after the current step
 */
record TrainingLoop(
    TrainingPlan plan,
    State state,
    Ledger ledger,
    PrivateStep step,
    Checkpoints checkpoints,
    TrainingListener listener,
    long blockSize,
    BooleanSupplier stopped) {

  /** Saves the state of a run. */
  interface Checkpoints {

    /** Saves nothing, for runs that are only in memory. */
    Checkpoints NONE =
        new Checkpoints() {
          @Override
          public boolean isDue() {
            return false;
          }

          @Override
          public void save(State state, Head head) {}
        };

    /** Returns whether the last checkpoint is so old that a crash would lose much work. */
    boolean isDue();

    /**
     * Saves the state durably.
     *
     * @param head head of the ledger, which is durable
     */
    void save(State state, Head head);
  }

  /**
   * Runs steps until the plan or its budget ends.
   *
   * @return whether the end was reached; false if the run was stopped before
   */
  boolean run() {
    LedgerContents contents = ledger.contents();
    long reserved = contents.reserved();
    long last = affordable(contents);
    while (state.step < last && !stopped.getAsBoolean()) {
      if (state.step >= reserved) {
        long block = Math.min(blockSize, last - reserved);
        ledger.reserve(step.event(), reserved, block);
        reserved += block;
        checkpoints.save(state, ledger.head());
      } else if (checkpoints.isDue()) {
        checkpoints.save(state, ledger.head());
      }
      if (plan.adaptive() != null) {
        step.scale(state.factors);
      }
      step.run(state.step, state.theta, this::complete);
    }
    checkpoints.save(state, ledger.head());
    return state.step >= last;
  }

  /**
   * Updates the state and calls the listener. The update leaves the metrics, which follow the
   * gradient in the array, unchanged.
   */
  private void complete(double[] average) {
    state.descend(average);
    listener.stepCompleted(state.step, state.theta, metrics(average));
  }

  private Map<Metric.Kind, double[]> metrics(double[] average) {
    int at = state.theta.length;
    if (at == average.length) {
      return Map.of();
    }
    Map<Metric.Kind, double[]> metrics = new EnumMap<>(Metric.Kind.class);
    for (Layout.Vector vector : plan.mechanism().layout().vectors(Layout.Role.METRIC)) {
      Metric.Kind kind = Metric.Kind.of(vector);
      double[] values = Arrays.copyOfRange(average, at, at + vector.dimension());
      Arrays.setAll(values, i -> kind.read(values[i]));
      metrics.put(kind, values);
      at += vector.dimension();
    }
    return metrics;
  }

  /**
   * Returns the step at which the budget ends. Steps that are already reserved are already counted.
   */
  private long affordable(LedgerContents contents) {
    long steps = plan.privacy().steps();
    PrivacyBudget budget = plan.budget();
    if (budget == null) {
      return steps;
    }
    TightAccountant accountant = TightAccountant.of(plan.privacy().neighboring());
    PrivacyEvent spent = contents.event();
    long reserved = contents.reserved();
    long low = 0;
    long high = Math.max(0, steps - reserved);
    while (low < high) {
      // First try all steps that are left: they fit unless steps were counted again.
      long count = high == steps - reserved && low == 0 ? high : low + (high - low + 1) / 2;
      PrivacyEvent all = new PrivacyEvent.Composition(List.of(spent, step.event().times(count)));
      boolean fits = accountant.epsilonBracket(all, budget.delta()).upper() <= budget.epsilon();
      if (fits) {
        low = count;
      } else {
        high = count - 1;
      }
    }
    return Math.min(steps, reserved + low);
  }
}
