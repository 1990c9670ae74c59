package org.sordino.training;

import java.util.List;
import java.util.Locale;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;

/**
 * A metric of the sampled records that is released with every step in addition to the gradients. It
 * is an extra vector of each record, in a separate group with a share of the privacy cost (McMahan
 * &amp; Andrew 2018, arXiv:1812.06210, section 2). Metrics of the training records that are
 * computed in any other way are not private.
 *
 * @param kind what is measured
 * @param dimension number of values; 0 if it depends on the plan
 * @param bound clipping bound S of the group
 * @param share share of the privacy cost of a step, in (0, 1)
 */
public record Metric(Kind kind, int dimension, double bound, double share) {

  /** Default share of the privacy cost: small, but large enough for useful values. */
  public static final double DEFAULT_SHARE = 0.01;

  /** Kinds of metrics. */
  public enum Kind {
    /** Average loss; the loss of a record is clipped to the bound. */
    LOSS(0),
    /** Share of records whose class was predicted correctly; a record contributes 1/2 or -1/2. */
    ACCURACY(0.5),
    /** Share of every class. */
    CLASSES(0),
    /**
     * Share of records within the bound, for every group of gradients; a record contributes 1/2 or
     * -1/2.
     */
    UNCLIPPED(0.5);

    private static final String PREFIX = "metric.";

    private final double offset;

    Kind(double offset) {
      this.offset = offset;
    }

    /** Returns the name of the vector of this metric. */
    public String vector() {
      return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /** Returns the kind of metric that a vector belongs to. */
    static Kind of(Layout.Vector vector) {
      for (Kind kind : values()) {
        if (kind.vector().equals(vector.name())) {
          return kind;
        }
      }
      throw new IllegalArgumentException("unknown metric: " + vector.name());
    }

    /** Converts the average contribution of the records to the value of the metric. */
    double read(double average) {
      return average + offset;
    }
  }

  /**
   * Returns the average loss.
   *
   * @param bound largest loss of a record; larger values are clipped
   * @param share share of the privacy cost of a step, in (0, 1)
   */
  public static Metric loss(double bound, double share) {
    return new Metric(Kind.LOSS, 1, bound, share);
  }

  /** Returns the share of records whose class was predicted correctly. */
  public static Metric accuracy(double share) {
    return new Metric(Kind.ACCURACY, 1, 0.5, share);
  }

  /** Returns the share of every class. */
  public static Metric classes(int classes, double share) {
    return new Metric(Kind.CLASSES, classes, 1, share);
  }

  /** Returns the share of records within the bound, for every group of gradients. */
  public static Metric unclipped(double share) {
    return new Metric(Kind.UNCLIPPED, 0, 0.5, share);
  }

  /**
   * Throws if a metric cannot be computed for a model.
   *
   * @param metrics vectors of the metrics
   * @param classes number of classes of the model; 0 for a regression
   */
  public static void requireClasses(List<Layout.Vector> metrics, int classes) {
    for (Layout.Vector metric : metrics) {
      Kind kind = Kind.of(metric);
      if (classes == 0 && (kind == Kind.ACCURACY || kind == Kind.CLASSES)) {
        throw new IllegalArgumentException(
            metric.name() + " requires a classifier, got a regression");
      }
      if (kind == Kind.CLASSES && metric.dimension() != classes) {
        throw new IllegalArgumentException(
            "%s must have %d values, one for each class, got %d"
                .formatted(metric.name(), classes, metric.dimension()));
      }
    }
  }

  /** Returns this metric with its dimension for the given number of gradient groups. */
  Metric forGroups(int groups) {
    return kind == Kind.UNCLIPPED ? new Metric(kind, groups, 0.5 * Math.sqrt(groups), share) : this;
  }

  Layout.Vector vector() {
    return new Layout.Vector(kind.vector(), dimension, Layout.Role.METRIC);
  }

  Mechanism.Shared group() {
    return new Mechanism.Shared(
        VectorGroup.flat(kind.vector(), List.of(kind.vector()), bound), share);
  }
}
