package org.sordino.spark;

import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;

/**
 * Transfers data by Spark's own means. Few parameters are part of the task, which Spark serializes
 * several times; many are broadcast, which costs an additional message. Sums are the results of
 * tasks.
 */
final class SparkRoute implements Route {

  private static final long serialVersionUID = 1;

  private final byte @Nullable [] few;
  private final @Nullable Broadcast<byte[]> many;

  private SparkRoute(byte @Nullable [] few, @Nullable Broadcast<byte[]> many) {
    this.few = few;
    this.many = many;
  }

  static SparkRoute of(JavaSparkContext context, double[] theta) {
    byte[] bytes = ArrayBytes.bytes(theta);
    return theta.length < Exchange.MANY
        ? new SparkRoute(bytes, null)
        : new SparkRoute(null, context.broadcast(bytes));
  }

  @Override
  public double[] parameters() {
    if (few != null) {
      return ArrayBytes.doubles(few);
    }
    if (many == null) {
      throw new IllegalStateException("the route has no parameters");
    }
    return ArrayBytes.doubles(many.value());
  }

  @Override
  public byte[] deliver(int partition, long[] sums) {
    return ArrayBytes.bytes(sums);
  }

  /** Frees the broadcast in the driver, after all tasks have ended. */
  void forget() {
    if (many != null) {
      many.destroy();
    }
  }
}
