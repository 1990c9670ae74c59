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
 * What a run ended with.
 *
 * @param weights the model's parameters; the moving average where the plan asks for one
 * @param steps how many steps were executed
 * @param outcome why it ended
 * @param ledger what was done to the records
 * @param answers the answers to the plan's private queries, by their names; empty if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // handed over to the caller
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
    /** Another step would have cost more than the budget. */
    BUDGET_REACHED,
    /** It was stopped and can be resumed. */
    STOPPED
  }

  /**
   * The guarantee of the run, computed from its ledger alone: the certified upper end of the exact
   * epsilon.
   *
   * @param delta the probability with which epsilon may be exceeded
   * @throws IllegalStateException if the run's randomness was not secret
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
