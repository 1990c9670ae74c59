package org.sordino.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.sordino.run.InvalidInputException;

/**
 * A sampling rate as the fraction that was typed, so that 256/60000 stays exact and a number of
 * epochs becomes the right number of steps.
 *
 * @param numerator above 0, at most the denominator
 * @param denominator above 0
 */
record SamplingRate(BigDecimal numerator, BigDecimal denominator) {

  private static final String CONDITION = "above 0 and at most 1";
  private static final String FIX =
      "it is the share of records in one step, such as 0.01 or 256/60000";

  /** Reads 0.01 or 256/60000. */
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
      throw InvalidInputException.of(option, CONDITION, whole, FIX); // shows all that was typed
    }
  }

  double value() {
    return numerator.divide(denominator, MathContext.DECIMAL128).doubleValue();
  }

  /** The steps that go through the data so often, rounded up. */
  BigDecimal steps(BigDecimal epochs) {
    return epochs.multiply(denominator).divide(numerator, 0, RoundingMode.CEILING);
  }
}
