package org.sordino.spark;

import java.io.Serializable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;

/**
 * The current parameters on their way to the executors. Few of them travel inside the task, which
 * Spark serialises several times; many are broadcast, which costs a message more. They are numbers
 * that the step before has released.
 */
final class Parameters implements Serializable {

  private static final long serialVersionUID = 1;

  private static final int MANY = 1 << 14;

  private final byte @Nullable [] few;
  private final @Nullable Broadcast<byte[]> many;

  private Parameters(byte @Nullable [] few, @Nullable Broadcast<byte[]> many) {
    this.few = few;
    this.many = many;
  }

  static Parameters of(JavaSparkContext context, double[] theta) {
    byte[] bytes = Numbers.bytes(theta);
    return theta.length < MANY
        ? new Parameters(bytes, null)
        : new Parameters(null, context.broadcast(bytes));
  }

  /** In an executor. */
  double[] values() {
    if (few != null) {
      return Numbers.doubles(few);
    }
    if (many == null) {
      throw new IllegalStateException("parameters must be there, got none");
    }
    return Numbers.doubles(many.value());
  }

  /** In the driver, when no task will ask any more. */
  void forget() {
    if (many != null) {
      many.destroy();
    }
  }
}
