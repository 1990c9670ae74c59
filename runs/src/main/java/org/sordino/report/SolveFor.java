package org.sordino.report;

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
public record SolveFor(Asked asked, double given) {

  /** The half of a guarantee that is sought. */
  public enum Asked {
    EPSILON("epsilon", "delta"),
    DELTA("delta", "epsilon");

    private final String sought;
    private final String given;

    Asked(String sought, String given) {
      this.sought = sought;
      this.given = given;
    }
  }

  public String soughtName() {
    return asked.sought;
  }

  public String givenName() {
    return asked.given;
  }

  public double answer(Accountant accountant, PrivacyEvent event) {
    return switch (asked) {
      case EPSILON -> accountant.epsilon(event, given);
      case DELTA -> accountant.delta(event, given);
    };
  }

  public Bracket bracket(TightAccountant accountant, PrivacyEvent event) {
    return switch (asked) {
      case EPSILON -> accountant.epsilonBracket(event, given);
      case DELTA -> accountant.deltaBracket(event, given);
    };
  }

  public Bracket bracket(TightAccountant accountant, PrivacyEvent event, Direction direction) {
    return switch (asked) {
      case EPSILON -> accountant.epsilonBracket(event, given, direction);
      case DELTA -> accountant.deltaBracket(event, given, direction);
    };
  }
}
