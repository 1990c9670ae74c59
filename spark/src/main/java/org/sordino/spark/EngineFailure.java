package org.sordino.spark;

import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;

/**
 * Thrown in an executor that cannot create the engine of the model, for example because a native
 * library is missing. The driver reports it instead of Spark's message about a failed stage.
 */
final class EngineFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  private EngineFailure(String message) {
    super(message);
  }

  /**
   * Creates an engine, or something from one.
   *
   * @param quoted whether the original message may be quoted because no records were read
   */
  static <T> T guard(Supplier<T> creation, boolean quoted) {
    try {
      return creation.get();
    } catch (RuntimeException | LinkageError e) {
      throw new EngineFailure(
          ("executor %s must be able to create the engine of the model, got %s; check that it has"
                  + " the same jars, native libraries and processor as the driver")
              .formatted(executor(), quoted ? rootOf(e) : rootOf(e).getClass().getName()));
    }
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String executor() {
    SparkEnv env = SparkEnv.get();
    return env == null
        ? "driver"
        : env.executorId() + " on " + env.blockManager().blockManagerId().host();
  }

  /** Returns the failure that ended a Spark job, or null if it ended for another reason. */
  static @Nullable EngineFailure in(Throwable job) {
    for (Throwable t = job; t != null; t = t.getCause()) {
      if (t instanceof EngineFailure failure) {
        return failure;
      }
    }
    return null;
  }
}
