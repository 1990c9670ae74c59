package org.sordino.spark;

import java.util.function.DoublePredicate;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/**
 * Creates the parameters of the estimator. Conditions are checked when a fit begins, with a message
 * that names the fix; Spark's validators only report that a value is invalid.
 */
final class DpParams {

  private final Params owner;

  DpParams(Params owner) {
    this.owner = owner;
  }

  Param<String> text(String name, String doc) {
    return new Param<>(owner, name, doc);
  }

  DoubleParam real(String name, String doc) {
    return new DoubleParam(owner, name, doc);
  }

  LongParam whole(String name, String doc) {
    return new LongParam(owner, name, doc);
  }

  IntParam count(String name, String doc) {
    return new IntParam(owner, name, doc);
  }

  /** Requires that a number meets a condition. NaN never does. */
  static double require(
      String name, double value, DoublePredicate condition, String words, String fix) {
    if (!condition.test(value)) {
      throw new IllegalArgumentException(
          name + " must be " + words + ", got " + value + "; " + fix);
    }
    return value;
  }
}
