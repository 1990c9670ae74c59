package org.sordino.cli;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.training.GradientEngine;
import org.sordino.training.Preparation;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;

/** Records in the memory of this process, ready to be asked and trained on. */
final class Prepared implements Preparation, AutoCloseable {

  private final TrainingPlan plan;
  private final Supplier<GradientEngine> asking;
  private final Function<Map<String, double[]>, GradientEngine> opening;
  private @Nullable GradientEngine engine;

  /**
   * Records of a plan.
   *
   * @param asking an engine that answers the query of the plan, if it has one
   * @param opening the engine to train with, given the answers; given none, one that may see no
   *     inputs
   */
  Prepared(
      TrainingPlan plan,
      Supplier<GradientEngine> asking,
      Function<Map<String, double[]>, GradientEngine> opening) {
    this.plan = plan;
    this.asking = asking;
    this.opening = opening;
  }

  @Override
  public GradientEngine queryEngine(PrivateQuery query) {
    return asking.get();
  }

  @Override
  public GradientEngine trainingEngine(Map<String, double[]> answers) {
    if (engine != null && plan.queries().isEmpty()) {
      return engine;
    }
    close();
    GradientEngine opened = opening.apply(answers);
    engine = opened;
    return opened;
  }

  /** Preprocessing, where they are asked about, and all the rest, which needs no answer. */
  @Override
  public byte[] fingerprint(RandomKey key) {
    byte[] rest = trainingEngine(Map.of()).fingerprint(key);
    if (plan.queries().isEmpty()) {
      return rest;
    }
    try (GradientEngine asked = asking.get()) {
      byte[] inputs = asked.fingerprint(key);
      return ByteBuffer.allocate(inputs.length + rest.length).put(inputs).put(rest).array();
    }
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
      engine = null;
    }
  }
}
