package org.sordino.training;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sordino.random.RandomKey;

/**
 * Opens the engines of a run: an engine that answers the private query of the plan, and the
 * training engine, which may depend on the answer. Plans without queries need only the training
 * engine.
 *
 * <p>Engines from {@link #trainingEngine} belong to the preparation and are closed with it. Engines
 * from {@link #queryEngine} belong to the caller.
 */
public interface Preparation extends AutoCloseable {

  /** Opens an engine whose sum over all records answers a query of the plan. */
  GradientEngine queryEngine(PrivateQuery query);

  /**
   * Returns the training engine. It is valid until the next call or until {@link #close}.
   *
   * @param answers the answer to every query of the plan, by name
   */
  GradientEngine trainingEngine(Map<String, double[]> answers);

  /**
   * Computes a keyed digest of the records and of every choice that may change a bit of an answer
   * or, given the answers, of a sum.
   */
  byte[] fingerprint(RandomKey key);

  /** Closes the training engine, if one is open. */
  @Override
  default void close() {}

  /**
   * Returns the preparation of a plan without queries.
   *
   * @param engine the training engine; closed with the preparation
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
   * @param queryEngine opens an engine that answers the query; not called if the plan has no query
   * @param trainingEngine opens the training engine for the given answers. It must depend on its
   *     argument only. If the plan has a query, it is also called with an empty map, to compute the
   *     fingerprint of an engine before the answer is known; such an engine is closed immediately
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
