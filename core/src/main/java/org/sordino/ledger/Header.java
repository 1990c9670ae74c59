package org.sordino.ledger;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.sordino.Neighboring;

/**
 * Facts that apply to every entry of a ledger, declared before any record is read.
 *
 * @param run name of the run
 * @param neighboring neighboring relation of the guarantee
 * @param unit what one record is: an example, a microbatch, a user
 * @param population declared, public number of records
 * @param randomness {@code secure}, or the insecure source of the random bits, such as {@code
 *     insecure seed 42}; never a key
 * @param notes further information for readers of the ledger; never secrets
 */
public record Header(
    String run,
    Neighboring neighboring,
    String unit,
    long population,
    String randomness,
    Map<String, String> notes) {

  /** The {@link #randomness} that a guarantee requires. */
  public static final String SECURE = "secure";

  public Header {
    requireText("run", run);
    requireText("unit", unit);
    requireText("randomness", randomness);
    if (population < 1) {
      throw new IllegalArgumentException("population must be at least 1, got " + population);
    }
    // Sorted, so that equal headers have equal bytes.
    notes = Collections.unmodifiableMap(new TreeMap<>(notes));
  }

  /** Returns a header without notes. */
  public static Header of(
      String run, Neighboring neighboring, String unit, long population, String randomness) {
    return new Header(run, neighboring, unit, population, randomness, Map.of());
  }

  private static void requireText(String name, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(name + " must not be blank");
    }
  }
}
