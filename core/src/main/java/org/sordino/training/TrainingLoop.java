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
 * them, and saves checkpoints in between. What one step does is in {@link PrivateStep#run}.
 *
 * @param plan the plan
 * @param state the parameters and everything else that changes from step to step
 * @param ledger where steps are reserved before they are run
 * @param step reads the records
 * @param checkpoints saves the state
 * @param listener called before the first step and after each step
 * @param blockSize the number of steps in a reservation
 * @param stopped whether to end after the current step
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

    /** Whether the last one is so old that much would be lost with it. */
    boolean isDue();

    /**
     * Saves the state, durably.
     *
     * @param head of the ledger, which is durable
     */
    void save(State state, Head head);
  }

  /**
   * Runs steps until the plan or its budget ends.
   *
   * @return whether it came to that end; false if it was stopped before
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

  /** Descending leaves the metrics, which are behind the gradient, as they are. */
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

  /** The step at which the budget ends; what is reserved already is paid for. */
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
      // The whole is tried first: it is the answer unless steps had to be counted again.
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
