package org.sordino.ledger;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.sordino.Neighboring;

/**
 * What holds for every entry of a ledger, declared before any record is touched.
 *
 * @param run the name of the run
 * @param neighboring which data sets must look alike
 * @param unit what one record is: an example, a microbatch, a user
 * @param population the declared, public number of records
 * @param randomness {@code secure}, or how the coins were made instead, such as {@code insecure
 *     seed 42}; never a key
 * @param notes anything else that readers of the ledger should know; never secrets
 */
public record Header(
    String run,
    Neighboring neighboring,
    String unit,
    long population,
    String randomness,
    Map<String, String> notes) {

  /** The {@link #randomness} that a guarantee needs. */
  public static final String SECURE = "secure";

  public Header {
    requireText("run", run);
    requireText("unit", unit);
    requireText("randomness", randomness);
    if (population < 1) {
      throw new IllegalArgumentException("population must be at least 1, got " + population);
    }
    // Sorted, so that equal headers are equal bytes.
    notes = Collections.unmodifiableMap(new TreeMap<>(notes));
  }

  /** A header without notes. */
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
