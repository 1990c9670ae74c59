package org.sordino.spark;

import java.util.Map;
import org.sordino.json.Json;
import org.sordino.run.Learner;
import org.sordino.run.LearnerType;

/**
 * Finds neural networks at run time. This module does not depend on libtorch: networks are in the
 * module {@code sordino-torch}, which users add if needed.
 */
final class NetworkLearners {

  private static final String KIND = "network";
  private static final String ARCHITECTURE = "architecture";

  private NetworkLearners() {}

  /**
   * Returns the network with an architecture.
   *
   * @param architecture architecture as JSON, as described in docs/reference/architectures.md
   * @throws IllegalArgumentException if it is not JSON, or sordino-torch is not on the class path
   */
  static Learner of(String architecture) {
    Object layers;
    try {
      layers = Json.readObject(architecture);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("architecture: " + e.getMessage(), e);
    }
    return type().ofModel(Map.of("kind", KIND, ARCHITECTURE, layers));
  }

  private static LearnerType type() {
    try {
      return LearnerType.ofKind(KIND);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "networks need the module sordino-torch on the class path; add"
              + " org.sordino:sordino-torch to the driver and the executors",
          e);
    }
  }

  /** Returns the architecture of a network as JSON; empty for other models. */
  static String architecture(Learner learner) {
    Object layers = learner.modelJson().get(ARCHITECTURE);
    return layers == null ? "" : Json.write(layers);
  }
}
