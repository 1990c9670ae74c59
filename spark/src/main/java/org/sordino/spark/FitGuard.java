package org.sordino.spark;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Prevents fits whose cost is not added up. Tools that fit an estimator repeatedly (CrossValidator,
 * TrainValidationSplit, a loop) cost the sum of all fits. Without a budget file, the second fit is
 * refused, and inside a tuning tool also the first.
 */
final class FitGuard {

  private static final String TUNING = "org.apache.spark.ml.tuning.";

  /** UIDs of estimators that were fitted; copies made by tuning tools keep the UID. */
  private static final Set<String> FITTED = ConcurrentHashMap.newKeySet();

  private FitGuard() {}

  /** Refuses a fit whose cost would not be added to others, before any record is read. */
  static void requireFirst(String uid) {
    boolean tuning =
        StackWalker.getInstance()
            .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(TUNING)));
    if (tuning) {
      throw new IllegalStateException(
          "a private estimator cannot be fitted by a tuning tool (org.apache.spark.ml.tuning)"
              + " without a budget file, because every fit costs its epsilon on the same records;"
              + " set budgetFile to add up the costs, or tune on public records");
    }
    if (FITTED.contains(uid)) {
      throw second(uid);
    }
  }

  /** Records a fit, which may cost privacy from now on. */
  static void begin(String uid) {
    if (!FITTED.add(uid)) {
      throw second(uid);
    }
  }

  private static IllegalStateException second(String uid) {
    return new IllegalStateException(
        "a private estimator can be fitted only once without a budget file, got a second fit of "
            + uid
            + "; every fit costs its epsilon again: set budgetFile to add up the costs, or"
            + " create a new estimator for other records");
  }
}
