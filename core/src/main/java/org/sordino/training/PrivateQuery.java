package org.sordino.training;

import java.util.ArrayList;
import java.util.List;
import org.sordino.PrivacyEvent;
import org.sordino.mechanism.Mechanism;

/**
 * Something that is asked of all records once, before training: a Gaussian sum query of its own in
 * the ledger. The answer is the noisy sum over the population, a public number.
 *
 * @param name what it is, for people and the ledger
 * @param mechanism the vectors of a record, their bounds, and the noise
 */
public record PrivateQuery(String name, Mechanism mechanism) {

  public PrivateQuery {
    if (name.isBlank()) {
      throw new IllegalArgumentException("the name of a question must not be blank");
    }
  }

  /** What it costs. */
  public PrivacyEvent event() {
    return new PrivacyEvent.Gaussian(mechanism.noiseMultiplier());
  }

  /** Returns the event of some queries and the steps after them. */
  public static PrivacyEvent compose(List<PrivateQuery> queries, PrivacyEvent steps) {
    List<PrivacyEvent> all = new ArrayList<>();
    queries.forEach(query -> all.add(query.event()));
    all.add(steps);
    return new PrivacyEvent.Composition(all);
  }
}
