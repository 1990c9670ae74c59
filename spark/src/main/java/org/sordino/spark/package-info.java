/**
 * Private training on Apache Spark. {@link org.sordino.spark.SparkEngine} computes exact sums in
 * the executors; the driver adds them up and adds noise once. {@link
 * org.sordino.spark.DpClassifier} provides this as a Spark ML estimator.
 */
@NullMarked
package org.sordino.spark;

import org.jspecify.annotations.NullMarked;
