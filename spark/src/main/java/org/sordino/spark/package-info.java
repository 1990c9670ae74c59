/**
 * The private step over a cluster: {@link org.sordino.spark.SparkEngine} computes the exact sums
 * where the records are, the driver adds them up and adds noise once. {@link
 * org.sordino.spark.DpClassifier} is the same for Spark ML.
 */
@NullMarked
package org.sordino.spark;

import org.jspecify.annotations.NullMarked;
