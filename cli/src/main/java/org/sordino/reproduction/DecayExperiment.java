package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;
import org.sordino.training.WeightDecay;

/**
 * The linear regressions of Guo (2024), sections 5.1 and 5.2: the data, the training methods and
 * the measurements. {@link LinearReproduction} compares the results with the published ones.
 *
 * @param id ID of the reproduction, part of the keys of cached results
 * @param target theta*, inferred from the published losses
 */
record DecayExperiment(String id, List<Double> target) {

  static final int RECORDS = 500;
  static final int TEST_RECORDS = 10_000;
  static final int LOT = 10;
  static final double NOISE = 0.1;
  static final double LABEL_NOISE = 0.1;
  static final int STEPS_PER_EPOCH = RECORDS / LOT;

  DecayExperiment {
    target = List.copyOf(target);
  }

  /**
   * One setting of the experiment.
   *
   * @param name name in tables
   * @param clip clipping bound R
   * @param lambda strength of the weight decay
   * @param rate learning rate eta
   * @param epochs published number of epochs
   */
  record Case(String name, double clip, double lambda, double rate, int epochs) {

    long steps() {
      return (long) epochs * STEPS_PER_EPOCH;
    }

    /**
     * Returns R / lambda, an upper bound on the norm to which theta converges with decay after the
     * noise.
     */
    double fixed() {
      return clip / lambda;
    }

    /**
     * Returns eta R T, the distance that T clipped steps can cover if all records agree and nothing
     * decays.
     */
    double reach() {
      return rate * clip * steps();
    }
  }

  /**
   * The measurements of one training run with one seed.
   *
   * @param epochs epochs after which measurements were taken
   * @param norms |theta|
   * @param errors mean of (prediction - y)^2 over the test records
   */
  record Run(List<Double> epochs, List<Double> norms, List<Double> errors) {

    double norm(double epoch) {
      return norms.get(epochs.indexOf(epoch));
    }

    double error(double epoch) {
      return errors.get(epochs.indexOf(epoch));
    }

    /** Returns the reported loss: the error plus the penalty lambda/2 |theta|^2. */
    double loss(double epoch, double lambda) {
      double norm = norm(epoch);
      return error(epoch) + lambda / 2 * norm * norm;
    }
  }

  double targetNorm() {
    return Math.sqrt(target.stream().mapToDouble(t -> t * t).sum());
  }

  /**
   * Returns |theta| at the minimum of error/2 + lambda/2 |theta|^2, where E x xT is the identity.
   */
  double ridgeNorm(double lambda) {
    return targetNorm() / (1 + lambda);
  }

  /** Returns the reported loss at a theta with this norm in the direction of theta*. */
  double lossAt(double norm, double lambda) {
    double off = targetNorm() - norm;
    return off * off + LABEL_NOISE * LABEL_NOISE + lambda / 2 * norm * norm;
  }

  /**
   * Trains by the method as defined, with Sordino's trainer, for {@code longer} times the published
   * number of epochs. The measurements include the published and the last epoch.
   */
  List<Run> defined(Case setting, WeightDecay.Place place, int longer, Reproduction.Effort effort) {
    Map<String, Object> parameters = parameters(setting, place.name());
    parameters.put("longer", longer);
    return runs(
        place.name(), parameters, effort, seed -> definedCell(setting, place, longer, seed));
  }

  /** Runs the code as printed in the paper; measures only after the last epoch. */
  List<Run> printed(Case setting, boolean inside, Reproduction.Effort effort) {
    String name = inside ? "PRINTED_INSIDE" : "PRINTED_AFTER";
    return runs(
        name, parameters(setting, name), effort, seed -> printedCell(setting, inside, seed));
  }

  private interface Work {
    Map<String, ?> run(long seed);
  }

  private static List<Run> runs(
      String name, Map<String, Object> parameters, Reproduction.Effort effort, Work work) {
    return LongStream.rangeClosed(1, effort.seeds())
        .mapToObj(
            seed -> {
              Map<String, Object> key = new LinkedHashMap<>(parameters);
              key.put("seed", seed);
              String file = name.toLowerCase(java.util.Locale.ROOT).replace('_', '-') + "-" + seed;
              return run(effort.cells().get(file, key, () -> work.run(seed)));
            })
        .toList();
  }

  private Map<String, Object> parameters(Case setting, String method) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("experiment", id);
    parameters.put("method", method);
    parameters.put("target", target);
    parameters.put("records", RECORDS);
    parameters.put("testRecords", TEST_RECORDS);
    parameters.put("labelNoise", LABEL_NOISE);
    parameters.put("clip", setting.clip);
    parameters.put("lambda", setting.lambda);
    parameters.put("learningRate", setting.rate);
    parameters.put("noiseMultiplier", NOISE);
    parameters.put("lot", LOT);
    parameters.put("epochs", setting.epochs);
    return parameters;
  }

  private Map<String, ?> definedCell(Case setting, WeightDecay.Place place, int longer, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Examples train = draw(random, RECORDS);
    Examples test = draw(random, TEST_RECORDS);
    TreeSet<Long> looks = looks(setting.epochs, longer);
    List<Double> epochs = new ArrayList<>();
    List<Double> norms = new ArrayList<>();
    List<Double> errors = new ArrayList<>();
    new DecayRun(
            setting.clip, setting.lambda, place, setting.rate, NOISE, LOT, setting.steps() * longer)
        .train(
            train,
            seed,
            (step, theta) -> {
              if (step % STEPS_PER_EPOCH == 0 && looks.contains(step / STEPS_PER_EPOCH)) {
                epochs.add((double) step / STEPS_PER_EPOCH);
                norms.add(norm(theta, test.width()));
                errors.add(error(theta, test));
              }
            });
    return cell(epochs, norms, errors);
  }

  private Map<String, ?> printedCell(Case setting, boolean inside, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Examples train = draw(random, RECORDS);
    Examples test = draw(random, TEST_RECORDS);
    double[] theta =
        new PrintedAlgorithm(setting.clip, setting.lambda, inside, setting.rate, NOISE, LOT)
            .train(train, setting.epochs, random.split());
    return cell(
        List.of((double) setting.epochs),
        List.of(norm(theta, test.width())),
        List.of(error(theta, test)));
  }

  /** Draws records with y = theta* x + noise and independent standard normal features. */
  private Examples draw(SplittableRandom random, int records) {
    int width = target.size();
    float[] features = new float[records * width];
    float[] targets = new float[records];
    for (int i = 0; i < records; i++) {
      double y = LABEL_NOISE * random.nextGaussian();
      for (int j = 0; j < width; j++) {
        double x = random.nextGaussian();
        features[i * width + j] = (float) x;
        y += target.get(j) * x;
      }
      targets[i] = (float) y;
    }
    return new Examples(features, width, targets);
  }

  /** Returns about forty epochs per decade, and those that the tables need. */
  private static TreeSet<Long> looks(int epochs, int longer) {
    TreeSet<Long> looks = new TreeSet<>();
    long last = (long) epochs * longer;
    for (double epoch = 1; epoch < last; epoch *= 1.06) {
      looks.add(Math.round(epoch));
    }
    looks.add((long) epochs);
    looks.add(last);
    return looks;
  }

  private static double norm(double[] theta, int width) {
    double square = 0;
    for (int j = 0; j < width; j++) {
      square += theta[j] * theta[j];
    }
    return Math.sqrt(square);
  }

  /** Computes the error without the intercept, which the paper's model does not have. */
  private static double error(double[] theta, Examples test) {
    double sum = 0;
    for (int i = 0; i < test.size(); i++) {
      double off = -test.targets()[i];
      for (int j = 0; j < test.width(); j++) {
        off += theta[j] * test.features()[i * test.width() + j];
      }
      sum += off * off;
    }
    return sum / test.size();
  }

  private static Map<String, ?> cell(List<Double> epochs, List<Double> norms, List<Double> errors) {
    Map<String, Object> cell = new LinkedHashMap<>();
    cell.put("epochs", epochs);
    cell.put("norms", norms);
    cell.put("errors", errors);
    return cell;
  }

  private static Run run(Map<String, @Nullable Object> cell) {
    return new Run(
        SeedStatistics.numbers(cell.get("epochs")),
        SeedStatistics.numbers(cell.get("norms")),
        SeedStatistics.numbers(cell.get("errors")));
  }
}
