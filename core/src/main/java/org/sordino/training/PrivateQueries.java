package org.sordino.training;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Answers the private queries of a plan before its first step. Each query is durable in the ledger
 * before it is answered. The answers are released numbers, so they may be stored. They must be
 * stored, because the parameters of a run are trained on inputs that depend on them.
 *
 * @param plan the plan with the queries
 * @param preparation opens the engines that answer them
 */
record PrivateQueries(TrainingPlan plan, Preparation preparation) {

  /**
   * Answers all queries.
   *
   * @param replay whether the key is that of the current attempt in the ledger; a query that is
   *     already in the ledger then has the same answer again, which costs nothing
   */
  Map<String, double[]> answer(Ledger ledger, RandomKey key, boolean replay) {
    Map<String, double[]> answers = new LinkedHashMap<>();
    for (PrivateQuery query : plan.queries()) {
      if (!(replay && isRecorded(ledger, query))) {
        ledger.query(query.name(), query.event());
      }
      answers.put(query.name(), answer(query, key.derive("question " + query.name())));
    }
    return answers;
  }

  /**
   * Returns the stored answers if all queries are in the ledger; otherwise answers the queries and
   * stores the answers.
   */
  Map<String, double[]> answerOnce(Ledger ledger, RandomKey key, boolean replay, RunStorage files) {
    if (plan.queries().isEmpty()) {
      return Map.of();
    }
    String run = ledger.contents().header().run();
    if (plan.queries().stream().allMatch(query -> isRecorded(ledger, query))) {
      Optional<Map<String, double[]>> kept = files.answers(run);
      if (kept.isPresent()) {
        return kept.get();
      }
    }
    Map<String, double[]> answers = answer(ledger, key, replay);
    files.writeAnswers(run, answers);
    return answers;
  }

  /** Answers one query. Its sum has a separate entry in the ledger instead of a reserved step. */
  private double[] answer(PrivateQuery query, RandomKey key) {
    long population = plan.privacy().population();
    try (GradientEngine engine = preparation.queryEngine(query)) {
      NoisySum sum = new NoisySum(query.mechanism(), population, 0, engine);
      double[] answer = new double[engine.layout().dimension()];
      PoissonSample everyone = PoissonSample.of(key.derive("sampling"), 0, 1);
      sum.clipAndAdd(engine, everyone, new double[0]);
      sum.addNoise(GaussianNoise.of(key.derive("noise")), 0);
      sum.divideBy(population, answer);
      return answer;
    }
  }

  private static boolean isRecorded(Ledger ledger, PrivateQuery other) {
    return ledger.contents().entries().stream()
        .anyMatch(
            entry ->
                entry instanceof Entry.Query query
                    && query.name().equals(other.name())
                    && query.event().equals(other.event()));
  }
}
