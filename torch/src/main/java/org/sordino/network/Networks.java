package org.sordino.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.run.Evaluation;
import org.sordino.run.InvalidInputException;
import org.sordino.torch.Architecture;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchModel;
import org.sordino.training.Optimizer;
import org.sordino.training.TrainingPlan;

/** Shared code for networks on tables and on images. */
public final class Networks {

  private static final List<String> PRESETS = List.of("mnist-cnn", "cifar-cnn", "logreg");
  private static final int BASELINE_EPOCHS = 5;
  private static final int THREADS = Runtime.getRuntime().availableProcessors();

  private Networks() {}

  /** Returns a preset or reads an architecture from a file. */
  public static Architecture named(String model) {
    try {
      if (PRESETS.contains(model)) {
        return Architecture.preset(model);
      }
      if (!model.endsWith(".json")) {
        throw InvalidInputException.of(
            "`model`",
            "linear, mlp, mnist-cnn, cifar-cnn, logreg or a file name that ends in .json",
            model,
            "use linear only for tables");
      }
      return Architecture.fromJson(Files.readString(Path.of(model)));
    } catch (InvalidInputException e) {
      throw e;
    } catch (IOException e) {
      throw InvalidInputException.of("`model`", "a readable file", model, e.toString());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("`model` " + model + ": " + e.getMessage());
    }
  }

  static int inputs(Architecture architecture) {
    return Arrays.stream(architecture.input()).reduce(1, (a, b) -> a * b);
  }

  static Architecture requireClasses(String model, Architecture architecture, int classes) {
    if (!Arrays.equals(architecture.output(), new int[] {classes})) {
      throw InvalidInputException.of(
          "`model`",
          "a network with " + classes + " outputs",
          model + " with output " + Arrays.toString(architecture.output()),
          "end the network with a layer that has one output per class");
    }
    return architecture;
  }

  static double[] initialParameters(Architecture architecture, RandomKey publicSeed) {
    return architecture.initialWeights(publicSeed.derive("initialisation"));
  }

  static int firstLayerOutputs(Architecture architecture) {
    return Math.toIntExact(architecture.shapes().values().iterator().next()[0]);
  }

  /** Returns a plan without privacy: Adam for a few epochs. */
  static TrainingPlan baselinePlan(Architecture architecture, long examples) {
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(architecture.layout())
            .population(examples)
            .expectedBatch(Math.min(examples, 128))
            .epochs(BASELINE_EPOCHS)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimizer(Optimizer.adam(0.001));
    List<String> statistics =
        architecture.layout().vectors(Layout.Role.MOVING_AVERAGE).stream()
            .map(Layout.Vector::name)
            .toList();
    if (!statistics.isEmpty()) {
      plan.shared(VectorGroup.flat("statistics", statistics, Double.POSITIVE_INFINITY), 0.5);
    }
    return plan.build();
  }

  /**
   * Returns the number of steps in an epoch. Evaluations are not more frequent, because evaluating
   * a network on all test records takes a large part of the time of an epoch.
   */
  static long stepsBetweenEvaluations(PrivacyPlan plan) {
    return Math.max(1, Math.round(1 / plan.samplingRate()));
  }

  /** Evaluates a network on labeled records. Not private. */
  public static Evaluation evaluate(TorchModel model, TorchData data) {
    float[] targets = new float[data.size()];
    for (int i = 0; i < targets.length; i++) {
      targets[i] = data.target(i);
    }
    return Evaluation.ofClasses(
        probabilities(model, data), targets, model.architecture().output()[0]);
  }

  /** Returns the probability of each class for each record. */
  static double[][] probabilities(TorchModel model, TorchData data) {
    float[] flat = model.probabilities(data, THREADS);
    int classes = data.size() == 0 ? 1 : flat.length / data.size();
    double[][] rows = new double[data.size()][classes];
    for (int i = 0; i < flat.length; i++) {
      rows[i / classes][i % classes] = flat[i];
    }
    return rows;
  }
}
