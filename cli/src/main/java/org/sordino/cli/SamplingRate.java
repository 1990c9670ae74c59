package org.sordino.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.sordino.run.InvalidInputException;

/**
 * A sampling rate as the exact fraction given on the command line. With an exact 256/60000, a
 * number of epochs converts to the right number of steps.
 *
 * @param numerator above 0, at most the denominator
 * @param denominator above 0
 */
record SamplingRate(BigDecimal numerator, BigDecimal denominator) {

  private static final String CONDITION = "above 0 and at most 1";
  private static final String FIX = "use the share of records per step, such as 0.01 or 256/60000";

  /** Parses a decimal or a fraction, such as 0.01 or 256/60000. */
  static SamplingRate parse(String option, String text) {
    String[] parts = text.split("/", -1);
    if (parts.length > 2) {
      throw InvalidInputException.of(option, CONDITION, text, FIX);
    }
    BigDecimal numerator = part(option, parts[0], text);
    BigDecimal denominator = parts.length == 1 ? BigDecimal.ONE : part(option, parts[1], text);
    if (numerator.compareTo(denominator) > 0) {
      throw InvalidInputException.of(option, CONDITION, text, FIX);
    }
    return new SamplingRate(numerator, denominator);
  }

  private static BigDecimal part(String option, String part, String whole) {
    try {
      return OptionValues.exact(option, part, x -> x > 0, CONDITION, FIX);
    } catch (InvalidInputException e) {
      throw InvalidInputException.of(
          option, CONDITION, whole, FIX); // the message shows the whole value
    }
  }

  double value() {
    return numerator.divide(denominator, MathContext.DECIMAL128).doubleValue();
  }

  /** Returns the number of steps of that many epochs, rounded up. */
  BigDecimal steps(BigDecimal epochs) {
    return epochs.multiply(denominator).divide(numerator, 0, RoundingMode.CEILING);
  }
}
