package org.sordino.training;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.sordino.Neighboring;

/**
 * What one record is: the thing that is drawn, bounded, and protected as a whole.
 *
 * @param kind of record
 * @param examples how many examples it has: exactly 1, k on average, or m at most
 * @param local how a user trains at home, for updates only
 */
public record Unit(Kind kind, int examples, Local local) implements Serializable {

  /** Kinds of records. */
  public enum Kind {
    /** One example, and its gradient. */
    EXAMPLE,
    /**
     * Examples that share a slot, and the mean of their gradients. The slot of an example follows
     * from its own content, so an example touches one record only, whatever the others are.
     */
    MICROBATCH,
    /** All examples of a person, at most m of them, and the mean of their gradients. */
    USER,
    /** The same examples, and by how much training on them alone changes the model. */
    USER_UPDATE
  }

  /**
   * Training at home (McMahan et al. 2017, arXiv:1602.05629): plain gradient descent over the
   * user's examples, in their order.
   *
   * @param epochs how often over all examples
   * @param batch how many examples a step has
   * @param learningRate of the steps
   */
  public record Local(int epochs, int batch, double learningRate) implements Serializable {

    /** Where nobody trains at home. */
    static final Local NONE = new Local(0, 0, 0);

    /** Local epochs. */
    public static Local of(int epochs, int batch, double learningRate) {
      if (epochs < 1 || epochs > 1000) {
        throw new IllegalArgumentException("local epochs must be in [1, 1000], got " + epochs);
      }
      if (batch < 1) {
        throw new IllegalArgumentException("local batch must be at least 1, got " + batch);
      }
      if (!(learningRate > 0 && learningRate < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "local learning rate must be above 0 and finite, got " + learningRate);
      }
      return new Local(epochs, batch, learningRate);
    }

    /**
     * Trains at home.
     *
     * @param theta the parameters to begin with
     * @param examples the user's, in their order
     * @param meanGradient of some examples at some parameters
     * @return theta minus what it becomes, so that a server descends along it
     */
    public double[] update(
        double[] theta, int[] examples, BiFunction<double[], int[], double[]> meanGradient) {
      double[] local = theta.clone();
      for (int epoch = 0; epoch < epochs; epoch++) {
        for (int from = 0; from < examples.length; from += batch) {
          int to = Math.min(examples.length, from + batch);
          double[] gradient = meanGradient.apply(local, Arrays.copyOfRange(examples, from, to));
          for (int i = 0; i < local.length; i++) {
            local[i] -= learningRate * gradient[i];
          }
        }
      }
      for (int i = 0; i < local.length; i++) {
        local[i] = theta[i] - local[i];
      }
      return local;
    }
  }

  public Unit {
    if (examples < 1 || (kind == Kind.EXAMPLE && examples != 1)) {
      throw new IllegalArgumentException(
          "a record of kind " + kind + " cannot have " + examples + " examples");
    }
    if ((kind == Kind.USER_UPDATE) == local.equals(Local.NONE)) {
      throw new IllegalArgumentException("local training belongs to user updates, and only there");
    }
  }

  /** A record is an example. */
  public static Unit example() {
    return new Unit(Kind.EXAMPLE, 1, Local.NONE);
  }

  /** A record is a slot with k examples on average. */
  public static Unit microbatch(int examples) {
    return new Unit(Kind.MICROBATCH, examples, Local.NONE);
  }

  /** A record is a user with at most m examples. */
  public static Unit user(int examples) {
    return new Unit(Kind.USER, examples, Local.NONE);
  }

  /** A record is what a user's own training on at most m examples changes. */
  public static Unit userUpdate(int examples, Local local) {
    return new Unit(Kind.USER_UPDATE, examples, local);
  }

  /** Whether all examples of a person are one record. */
  public boolean isUser() {
    return kind == Kind.USER || kind == Kind.USER_UPDATE;
  }

  /** In one word, for the ledger. */
  public String noun() {
    return switch (kind) {
      case EXAMPLE -> "example";
      case MICROBATCH -> "microbatch";
      case USER, USER_UPDATE -> "user";
    };
  }

  /**
   * Who is protected, for people. An example more or less changes the mean of its slot, from one
   * vector within the bound to another: at the level of slots that is a replacement. An example
   * whose content changes leaves one slot and enters another, which costs twice as much.
   */
  public String protection(Neighboring relation) {
    boolean replace = relation == Neighboring.REPLACE_ONE;
    return switch (kind) {
      case EXAMPLE -> replace ? "one example replaced" : "one example added or removed";
      case MICROBATCH ->
          replace
              ? "one example added or removed: the slot it is in may change altogether"
              : "one slot with all its examples added or removed, not a single example";
      case USER, USER_UPDATE ->
          replace
              ? "one user replaced with all examples"
              : "one user added or removed with all examples";
    };
  }
}
