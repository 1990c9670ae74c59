package org.sordino.training;

import java.util.ArrayList;
import java.util.List;
import org.sordino.PrivacyEvent;
import org.sordino.mechanism.Mechanism;

/**
 * A Gaussian sum query over all records that is answered once, before training, and has a separate
 * entry in the ledger. The answer is the noisy sum divided by the declared population, which is
 * public.
 *
 * @param name name of the query, shown to users and recorded in the ledger
 * @param mechanism vectors of a record, their bounds, and the noise
 */
public record PrivateQuery(String name, Mechanism mechanism) {

  public PrivateQuery {
    if (name.isBlank()) {
      throw new IllegalArgumentException("the name of a query must not be blank");
    }
  }

  /** Returns the privacy event of the query. */
  public PrivacyEvent event() {
    return new PrivacyEvent.Gaussian(mechanism.noiseMultiplier());
  }

  /** Returns the composition of queries and the steps that follow them. */
  public static PrivacyEvent compose(List<PrivateQuery> queries, PrivacyEvent steps) {
    List<PrivacyEvent> all = new ArrayList<>();
    queries.forEach(query -> all.add(query.event()));
    all.add(steps);
    return new PrivacyEvent.Composition(all);
  }
}
