package org.sordino.training;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sordino.random.RandomKey;

/**
 * Opens the engines of a run: one that answers the plan's private query, and the one to train with,
 * which may depend on the answer. Plans without queries need only the second.
 *
 * <p>Engines from {@link #trainingEngine} belong to the preparation and are closed with it; engines
 * from {@link #queryEngine} belong to the caller.
 */
public interface Preparation extends AutoCloseable {

  /** Opens an engine whose sum over all records answers a query of the plan. */
  GradientEngine queryEngine(PrivateQuery query);

  /**
   * Returns the engine to train with. It is valid until the next call or until {@link #close}.
   *
   * @param answers an answer for every query of the plan, by its name
   */
  GradientEngine trainingEngine(Map<String, double[]> answers);

  /**
   * Computes a keyed digest of the records and of every choice that may change a bit of an answer
   * or, given the answers, of a sum.
   */
  byte[] fingerprint(RandomKey key);

  /** Closes the engine to train with, if there is one. */
  @Override
  default void close() {}

  /**
   * Returns the preparation of a plan without queries.
   *
   * @param engine the engine to train with; closed with the preparation
   */
  static Preparation of(GradientEngine engine) {
    return new EngineFactories(
        false,
        () -> {
          throw new IllegalStateException("the plan has no queries");
        },
        answers -> engine);
  }

  /**
   * Returns the preparation of a plan with at most one query. Engines are opened when they are
   * needed. A plan without queries opens one engine and keeps it, because networks and Spark
   * clusters are expensive to open.
   *
   * @param queryEngine opens an engine that answers the query; not called if there is none
   * @param trainingEngine opens the engine to train with from the answers. It must depend on its
   *     argument only. Where the plan has a query, it is also called with an empty map, to take the
   *     fingerprint of an engine before the answer is known; such an engine is closed at once
   * @throws IllegalArgumentException if the plan has more than one query
   */
  static Preparation of(
      TrainingPlan plan,
      Supplier<GradientEngine> queryEngine,
      Function<Map<String, double[]>, GradientEngine> trainingEngine) {
    if (plan.queries().size() > 1) {
      throw new IllegalArgumentException(
          "the plan must have at most one query, got "
              + plan.queries().stream().map(PrivateQuery::name).toList()
              + "; implement Preparation to answer several");
    }
    return new EngineFactories(!plan.queries().isEmpty(), queryEngine, trainingEngine);
  }
}
