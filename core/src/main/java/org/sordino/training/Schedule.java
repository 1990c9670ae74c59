package org.sordino.training;

/**
 * How the learning rate changes over the steps: from the whole of it to a fraction, where it stays.
 *
 * @param shape of the way down
 * @param end the fraction that is left, in [0, 1]
 * @param steps after how many steps it is reached; 0 means at the end of the run
 */
public record Schedule(Shape shape, double end, long steps) {

  /** The way from the first learning rate to the last. */
  public enum Shape {
    CONSTANT,
    LINEAR,
    COSINE
  }

  public Schedule {
    if (!(end >= 0 && end <= 1)) {
      throw new IllegalArgumentException("end of the schedule must be in [0, 1], got " + end);
    }
    if (steps < 0) {
      throw new IllegalArgumentException("steps of the schedule must be at least 0, got " + steps);
    }
  }

  /** The same learning rate in every step. */
  public static Schedule constant() {
    return new Schedule(Shape.CONSTANT, 1, 0);
  }

  /** Along a straight line to {@code end} of it, at the end of the run. */
  public static Schedule linear(double end) {
    return new Schedule(Shape.LINEAR, end, 0);
  }

  /** Along half a cosine to {@code end} of it, at the end of the run. */
  public static Schedule cosine(double end) {
    return new Schedule(Shape.COSINE, end, 0);
  }

  /** The factor of the learning rate in one step of a run. */
  double factor(long step, long runSteps) {
    double done = Math.min(1, step / (double) Math.max(1, steps == 0 ? runSteps : steps));
    return switch (shape) {
      case CONSTANT -> 1;
      case LINEAR -> 1 - (1 - end) * done;
      case COSINE -> end + (1 - end) * (1 + Math.cos(Math.PI * done)) / 2;
    };
  }
}
