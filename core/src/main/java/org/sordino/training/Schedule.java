package org.sordino.training;

/**
 * Schedule of the learning rate: it decreases from its initial value to a fraction of it and then
 * stays constant.
 *
 * @param shape shape of the decrease
 * @param end final fraction of the initial value, in [0, 1]
 * @param steps number of steps until the final value; 0 means all steps of the run
 */
public record Schedule(Shape shape, double end, long steps) {

  /** Shape of the decrease from the initial to the final learning rate. */
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

  /** Returns a constant learning rate. */
  public static Schedule constant() {
    return new Schedule(Shape.CONSTANT, 1, 0);
  }

  /** Returns a linear decrease to the fraction {@code end} at the end of the run. */
  public static Schedule linear(double end) {
    return new Schedule(Shape.LINEAR, end, 0);
  }

  /** Returns a decrease along half a cosine to the fraction {@code end} at the end of the run. */
  public static Schedule cosine(double end) {
    return new Schedule(Shape.COSINE, end, 0);
  }

  /** Returns the factor of the learning rate in a step of a run. */
  double factor(long step, long runSteps) {
    double done = Math.min(1, step / (double) Math.max(1, steps == 0 ? runSteps : steps));
    return switch (shape) {
      case CONSTANT -> 1;
      case LINEAR -> 1 - (1 - end) * done;
      case COSINE -> end + (1 - end) * (1 + Math.cos(Math.PI * done)) / 2;
    };
  }
}
