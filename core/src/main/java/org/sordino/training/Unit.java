package org.sordino.training;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.sordino.Neighboring;

/**
 * The unit of protection: what one record represents. A record is sampled, clipped and protected as
 * a whole.
 *
 * @param kind kind of record
 * @param examples number of examples per record: exactly 1, k on average, or m at most
 * @param local local training of a user, for updates only
 */
public record Unit(Kind kind, int examples, Local local) implements Serializable {

  /** Kinds of records. */
  public enum Kind {
    /** One example; the record contributes its gradient. */
    EXAMPLE,
    /**
     * Examples that share a slot; the record contributes the mean of their gradients. The slot of
     * an example depends only on its content, so an example affects one record only, regardless of
     * the other examples.
     */
    MICROBATCH,
    /** All examples of a person, at most m; the record contributes the mean of their gradients. */
    USER,
    /**
     * All examples of a person, at most m; the record contributes the change of the model after
     * local training on them.
     */
    USER_UPDATE
  }

  /**
   * Local training (McMahan et al. 2017, arXiv:1602.05629): plain gradient descent over the user's
   * examples, in their order.
   *
   * @param epochs number of passes over the examples
   * @param batch number of examples per step
   * @param learningRate learning rate of the steps
   */
  public record Local(int epochs, int batch, double learningRate) implements Serializable {

    /** No local training. */
    static final Local NONE = new Local(0, 0, 0);

    /** Returns settings of local training. */
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
     * Trains locally.
     *
     * @param theta initial parameters
     * @param examples examples of the user, in their order
     * @param meanGradient computes the mean gradient of examples at given parameters
     * @return initial minus final parameters, so that the server descends along it
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
          "examples must be at least 1, and exactly 1 for a record of kind EXAMPLE, got "
              + examples
              + " for kind "
              + kind);
    }
    if ((kind == Kind.USER_UPDATE) == local.equals(Local.NONE)) {
      throw new IllegalArgumentException(
          "local training must be set for user updates and only for them");
    }
  }

  /** Returns the unit in which a record is one example. */
  public static Unit example() {
    return new Unit(Kind.EXAMPLE, 1, Local.NONE);
  }

  /** Returns the unit in which a record is a slot with k examples on average. */
  public static Unit microbatch(int examples) {
    return new Unit(Kind.MICROBATCH, examples, Local.NONE);
  }

  /** Returns the unit in which a record is a user with at most m examples. */
  public static Unit user(int examples) {
    return new Unit(Kind.USER, examples, Local.NONE);
  }

  /**
   * Returns the unit in which a record is the update of a user who trains locally on at most m
   * examples.
   */
  public static Unit userUpdate(int examples, Local local) {
    return new Unit(Kind.USER_UPDATE, examples, local);
  }

  /** Returns whether all examples of a person belong to one record. */
  public boolean isUser() {
    return kind == Kind.USER || kind == Kind.USER_UPDATE;
  }

  /** Returns the unit as one word, for the ledger. */
  public String noun() {
    return switch (kind) {
      case EXAMPLE -> "example";
      case MICROBATCH -> "microbatch";
      case USER, USER_UPDATE -> "user";
    };
  }

  /**
   * Returns a description of what is protected, for users. Adding or removing an example changes
   * the mean of its slot from one vector within the bound to another, which is a replacement at the
   * level of slots. An example whose content changes leaves one slot and enters another, which
   * costs twice as much.
   */
  public String protection(Neighboring relation) {
    boolean replace = relation == Neighboring.REPLACE_ONE;
    return switch (kind) {
      case EXAMPLE -> replace ? "one example replaced" : "one example added or removed";
      case MICROBATCH ->
          replace
              ? "one example added or removed, which may change its whole microbatch"
              : "one microbatch added or removed, with all of its examples";
      case USER, USER_UPDATE ->
          replace
              ? "one user replaced, with all of their examples"
              : "one user added or removed, with all of their examples";
    };
  }
}
