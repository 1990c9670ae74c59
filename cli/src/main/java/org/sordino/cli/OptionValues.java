package org.sordino.cli;

import java.math.BigDecimal;
import java.util.function.DoublePredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Decimals;
import org.sordino.report.SolveFor;
import org.sordino.run.InvalidInputException;

/** Parses the values of options. */
final class OptionValues {

  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

  private OptionValues() {}

  /**
   * Reads the value of an option.
   *
   * @param condition condition on the value for the message, such as "above 0"
   * @param fix how to correct the value, an imperative
   */
  static double real(
      String option, String text, DoublePredicate valid, String condition, String fix) {
    if (NUMBER.matcher(text.strip()).matches()) {
      double value = Double.parseDouble(text.strip());
      if (Double.isFinite(value) && valid.test(value)) {
        return value;
      }
    }
    throw InvalidInputException.of(option, condition, text, fix);
  }

  /** Reads the value of an option as {@link #real} does, without rounding it. */
  static BigDecimal exact(
      String option, String text, DoublePredicate valid, String condition, String fix) {
    real(option, text, valid, condition, fix);
    return new BigDecimal(text.strip());
  }

  /** Reads a whole number, which may be written as 1e4. */
  static long whole(String option, String text, long min, long max, String fix) {
    String condition =
        "a whole number from " + Decimals.grouped(min) + " to " + Decimals.grouped(max);
    BigDecimal value = exact(option, text, x -> x >= min && x <= max, condition, fix);
    try {
      return value.longValueExact();
    } catch (ArithmeticException e) {
      throw InvalidInputException.of(option, condition, text, fix);
    }
  }

  /** Reads {@code --delta}. */
  static double delta(String text) {
    return real(
        "--delta",
        text,
        x -> x > 0 && x < 1,
        "above 0 and below 1",
        "use a value well below one over the number of records, such as 1e-5");
  }

  /** Reads {@code --epsilon}. */
  static double epsilon(String text) {
    return real(
        "--epsilon", text, x -> x >= 0, "finite and at least 0", "try a value from 0.1 to 10");
  }

  /**
   * Returns which of epsilon and delta to compute; exactly one of the two options must be given.
   */
  static SolveFor solveFor(@Nullable String epsilon, @Nullable String delta) {
    if (epsilon != null && delta != null) {
      throw new InvalidInputException(
          "--epsilon and --delta cannot be combined; use one of them, the other is computed");
    }
    if (delta != null) {
      return new SolveFor(SolveFor.Target.EPSILON, delta(delta));
    }
    if (epsilon != null) {
      return new SolveFor(SolveFor.Target.DELTA, epsilon(epsilon));
    }
    throw new InvalidInputException("--delta (or --epsilon) is missing; try --delta 1e-5");
  }
}
