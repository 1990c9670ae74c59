package org.sordino.training;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;

/** A preparation that opens engines with two functions. */
final class EngineFactories implements Preparation {

  private final boolean hasQuery;
  private final Supplier<GradientEngine> queryEngine;
  private final Function<Map<String, double[]>, GradientEngine> trainingEngine;
  private @Nullable GradientEngine open;

  EngineFactories(
      boolean hasQuery,
      Supplier<GradientEngine> queryEngine,
      Function<Map<String, double[]>, GradientEngine> trainingEngine) {
    this.hasQuery = hasQuery;
    this.queryEngine = queryEngine;
    this.trainingEngine = trainingEngine;
  }

  @Override
  public GradientEngine queryEngine(PrivateQuery query) {
    return queryEngine.get();
  }

  @Override
  public GradientEngine trainingEngine(Map<String, double[]> answers) {
    if (open != null && !hasQuery) {
      return open;
    }
    close();
    GradientEngine opened = trainingEngine.apply(answers);
    open = opened;
    return opened;
  }

  /**
   * Computes the digest of the query engine, if the plan has a query, followed by that of the
   * training engine.
   */
  @Override
  public byte[] fingerprint(RandomKey key) {
    if (!hasQuery) {
      return trainingEngine(Map.of()).fingerprint(key);
    }
    byte[] training;
    try (GradientEngine engine = trainingEngine.apply(Map.of())) {
      training = engine.fingerprint(key);
    }
    try (GradientEngine engine = queryEngine.get()) {
      byte[] query = engine.fingerprint(key);
      return ByteBuffer.allocate(query.length + training.length).put(query).put(training).array();
    }
  }

  @Override
  public void close() {
    GradientEngine engine = open;
    open = null;
    if (engine != null) {
      engine.close();
    }
  }
}
