package org.sordino.training;

import java.util.List;
import java.util.Locale;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;

/**
 * Something that is to be known about the records of a sample beside their gradients: an extra
 * vector of the same record, in a group of its own, with a share of the cost (McMahan &amp; Andrew
 * 2018, arXiv:1812.06210, section 2). What is not asked for this way and shown nevertheless is not
 * private.
 *
 * @param kind what is asked
 * @param dimension how many numbers answer it; 0 if that depends on the plan
 * @param bound S of its group
 * @param share of the cost of a step, in (0, 1)
 */
public record Metric(Kind kind, int dimension, double bound, double share) {

  /** A share that costs little and says enough. */
  public static final double DEFAULT_SHARE = 0.01;

  /** What can be asked. */
  public enum Kind {
    /** The average loss; a record's loss is clipped to the bound. */
    LOSS(0),
    /** The share of records whose class was predicted; a record says 1/2 or -1/2. */
    ACCURACY(0.5),
    /** The share of every class. */
    CLASSES(0),
    /**
     * For every group of gradients, the share of records within the bound; a record says 1/2 or
     * -1/2.
     */
    UNCLIPPED(0.5);

    private static final String PREFIX = "metric.";

    private final double offset;

    Kind(double offset) {
      this.offset = offset;
    }

    /** The name of its vector. */
    public String vector() {
      return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /** Whose vector this is. */
    static Kind of(Layout.Vector vector) {
      for (Kind kind : values()) {
        if (kind.vector().equals(vector.name())) {
          return kind;
        }
      }
      throw new IllegalArgumentException("no metric is called " + vector.name());
    }

    /** What people mean by it, from the average of what records say. */
    double read(double average) {
      return average + offset;
    }
  }

  /**
   * The average loss.
   *
   * @param bound beyond it a record's loss does not count
   */
  public static Metric loss(double bound, double share) {
    return new Metric(Kind.LOSS, 1, bound, share);
  }

  /** The share of records whose class was predicted. */
  public static Metric accuracy(double share) {
    return new Metric(Kind.ACCURACY, 1, 0.5, share);
  }

  /** The share of every class. */
  public static Metric classes(int classes, double share) {
    return new Metric(Kind.CLASSES, classes, 1, share);
  }

  /** The share of records within the bound, for every group of gradients. */
  public static Metric unclipped(double share) {
    return new Metric(Kind.UNCLIPPED, 0, 0.5, share);
  }

  /**
   * Refuses metrics that a model cannot tell.
   *
   * @param metrics their vectors
   * @param classes of the model; 0 for a regression
   */
  public static void requireClasses(List<Layout.Vector> metrics, int classes) {
    for (Layout.Vector metric : metrics) {
      Kind asked = Kind.of(metric);
      if (classes == 0 && (asked == Kind.ACCURACY || asked == Kind.CLASSES)) {
        throw new IllegalArgumentException(
            metric.name() + " must be asked of a classifier, not of a regression");
      }
      if (asked == Kind.CLASSES && metric.dimension() != classes) {
        throw new IllegalArgumentException(
            "%s must have %d numbers, one for each class, got %d"
                .formatted(metric.name(), classes, metric.dimension()));
      }
    }
  }

  /** With the dimension that follows from the number of groups of gradients. */
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
