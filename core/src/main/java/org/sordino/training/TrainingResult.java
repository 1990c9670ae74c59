package org.sordino.training;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;

/**
 * Result of a run.
 *
 * @param weights parameters of the model; their moving average if the plan has one
 * @param steps number of executed steps
 * @param outcome why the run ended
 * @param ledger contents of the ledger: everything that was done with the records
 * @param answers answers to the private queries of the plan by name; empty if it has no queries
 */
@SuppressWarnings("ArrayRecordComponent") // owned by the caller
public record TrainingResult(
    double[] weights,
    long steps,
    Outcome outcome,
    LedgerContents ledger,
    Map<String, double[]> answers) {

  public TrainingResult {
    answers = Collections.unmodifiableMap(new LinkedHashMap<>(answers));
  }

  /** Why a run ended. */
  public enum Outcome {
    /** All steps of the plan were executed. */
    COMPLETED,
    /** Another step would have exceeded the budget. */
    BUDGET_REACHED,
    /** The run was stopped and can be resumed. */
    STOPPED
  }

  /**
   * Returns the guarantee of the run, computed from its ledger alone: the upper end of the
   * certified bracket of the exact epsilon. For a {@link Outcome#STOPPED} run it covers the
   * reserved steps. Composition requires a number of steps that is fixed in advance, so this is not
   * a guarantee if the decision to stop depended on results.
   *
   * @param delta probability that the epsilon bound fails
   * @throws IllegalStateException if the randomness of the run was not secret
   */
  public PrivacyBudget guarantee(double delta) {
    if (!ledger.header().randomness().equals(Header.SECURE)) {
      throw new IllegalStateException(
          "no guarantee can be stated: the randomness of this run was "
              + ledger.header().randomness());
    }
    Neighboring relation = ledger.header().neighboring();
    return new PrivacyBudget(
        TightAccountant.of(relation).epsilonBracket(ledger.event(), delta).upper(), delta);
  }
}
