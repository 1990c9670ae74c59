package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.Direction;
import org.sordino.accounting.TightAccountant;

/**
 * What is asked of the accountants.
 *
 * @param asked which of the two numbers is sought
 * @param given the other one
 */
record SolveFor(Asked asked, double given) {

  /** The half of a guarantee that is sought. */
  enum Asked {
    EPSILON("epsilon", "delta"),
    DELTA("delta", "epsilon");

    private final String sought;
    private final String given;

    Asked(String sought, String given) {
      this.sought = sought;
      this.given = given;
    }
  }

  /** Exactly one of the two must be there. */
  static SolveFor of(@Nullable String epsilon, @Nullable String delta) {
    if (epsilon != null && delta != null) {
      throw new InvalidInputException(
          "--epsilon and --delta contradict each other; give one, and the other is computed");
    }
    if (delta != null) {
      return new SolveFor(Asked.EPSILON, delta(delta));
    }
    if (epsilon != null) {
      return new SolveFor(Asked.DELTA, epsilon(epsilon));
    }
    throw new InvalidInputException(
        "--delta (or --epsilon) is missing; give for instance --delta 1e-5");
  }

  static double delta(String text) {
    return Numbers.real(
        "--delta",
        text,
        x -> x > 0 && x < 1,
        "above 0 and below 1",
        "it is well below one over the number of records, such as 1e-5");
  }

  static double epsilon(String text) {
    return Numbers.real(
        "--epsilon", text, x -> x >= 0, "finite and at least 0", "typical values are 0.1 to 10");
  }

  String soughtName() {
    return asked.sought;
  }

  String givenName() {
    return asked.given;
  }

  double answer(Accountant accountant, PrivacyEvent event) {
    return switch (asked) {
      case EPSILON -> accountant.epsilon(event, given);
      case DELTA -> accountant.delta(event, given);
    };
  }

  Bracket bracket(TightAccountant accountant, PrivacyEvent event) {
    return switch (asked) {
      case EPSILON -> accountant.epsilonBracket(event, given);
      case DELTA -> accountant.deltaBracket(event, given);
    };
  }

  Bracket bracket(TightAccountant accountant, PrivacyEvent event, Direction direction) {
    return switch (asked) {
      case EPSILON -> accountant.epsilonBracket(event, given, direction);
      case DELTA -> accountant.deltaBracket(event, given, direction);
    };
  }
}
