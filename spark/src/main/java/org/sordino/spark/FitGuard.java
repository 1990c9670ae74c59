package org.sordino.spark;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sees to it that nobody fits twice and pays once. Tools that fit an estimator many times
 * (CrossValidator, TrainValidationSplit, a loop) cost the sum of all fits; without a budget that
 * adds them up, the second one is refused, and a tuning tool's first one too.
 */
final class FitGuard {

  private static final String TUNING = "org.apache.spark.ml.tuning.";

  /** Copies of an estimator, as tuning tools make them, keep its uid. */
  private static final Set<String> FITTED = ConcurrentHashMap.newKeySet();

  private FitGuard() {}

  /** Refuses a fit that nobody would add to the others; tells before any record is read. */
  static void requireFirst(String uid) {
    boolean tuning =
        StackWalker.getInstance()
            .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(TUNING)));
    if (tuning) {
      throw new IllegalStateException(
          "a private estimator must not be fitted by a tuning tool without a budget, got a fit"
              + " inside org.apache.spark.ml.tuning; every fit costs its epsilon on the same"
              + " records: set budgetFile to add them up, or tune on public records");
    }
    if (FITTED.contains(uid)) {
      throw second(uid);
    }
  }

  /** Notes a fit: from here on it may cost something. */
  static void begin(String uid) {
    if (!FITTED.add(uid)) {
      throw second(uid);
    }
  }

  private static IllegalStateException second(String uid) {
    return new IllegalStateException(
        "a private estimator must be fitted once, got a second fit of "
            + uid
            + "; every fit costs its epsilon again: set budgetFile to add the fits up, or make a"
            + " new estimator for other records");
  }
}
