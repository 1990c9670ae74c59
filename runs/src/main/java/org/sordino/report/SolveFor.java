package org.sordino.report;

import org.sordino.PrivacyEvent;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.Direction;
import org.sordino.accounting.TightAccountant;

/**
 * The number that accountants compute for a run: epsilon at a given delta, or delta at a given
 * epsilon.
 *
 * @param target the number to compute
 * @param given value of the other number
 */
public record SolveFor(Target target, double given) {

  /** The number to compute. */
  public enum Target {
    /** Computes epsilon at a given delta. */
    EPSILON("epsilon", "delta"),
    /** Computes delta at a given epsilon. */
    DELTA("delta", "epsilon");

    private final String name;
    private final String given;

    Target(String name, String given) {
      this.name = name;
      this.given = given;
    }
  }

  /** Returns the name of the number to compute. */
  public String targetName() {
    return target.name;
  }

  /** Returns the name of the given number. */
  public String givenName() {
    return target.given;
  }

  /** Computes the number with an accountant. */
  public double answer(Accountant accountant, PrivacyEvent event) {
    return switch (target) {
      case EPSILON -> accountant.epsilon(event, given);
      case DELTA -> accountant.delta(event, given);
    };
  }

  /** Computes the certified bracket of the number. */
  public Bracket bracket(TightAccountant accountant, PrivacyEvent event) {
    return switch (target) {
      case EPSILON -> accountant.epsilonBracket(event, given);
      case DELTA -> accountant.deltaBracket(event, given);
    };
  }

  /** Computes the certified bracket of the number in one direction of the neighboring relation. */
  public Bracket bracket(TightAccountant accountant, PrivacyEvent event, Direction direction) {
    return switch (target) {
      case EPSILON -> accountant.epsilonBracket(event, given, direction);
      case DELTA -> accountant.deltaBracket(event, given, direction);
    };
  }
}
