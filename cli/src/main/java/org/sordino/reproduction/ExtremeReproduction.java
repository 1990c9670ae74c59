package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.training.Examples;
import org.sordino.training.WeightDecay;

/**
 * The one-parameter example of Guo (2024), section 3.2: loss (theta - theta*)^2 / 2, theta* = 3.8,
 * clip R = 1, lambda = 0.5. With decay after the noise, theta converges to R / lambda = 2,
 * regardless of theta*. With decay inside the clip, it converges to the ridge solution theta* / (1
 * + lambda) = 2.53.
 */
final class ExtremeReproduction implements Reproduction {

  private static final double TARGET = 3.8;
  private static final double CLIP = 1;
  private static final double LAMBDA = 0.5;
  private static final double FIXED = CLIP / LAMBDA;
  private static final double RIDGE = TARGET / (1 + LAMBDA);

  /**
   * Not given in the paper. The two limits depend neither on the learning rate nor on the number of
   * steps, provided that both suffice.
   */
  private static final double RATE = 0.1;

  private static final int STEPS = 200;
  private static final int RECORDS = 100;
  private static final double LITTLE_NOISE = 5; // on the sum; 0.05 R on the average of 100 records

  private static final Map<WeightDecay.Place, String> NAMES = names();

  @Override
  public String id() {
    return "extreme";
  }

  @Override
  public String title() {
    return "Weight decay in an extreme case: one parameter (Guo 2024, section 3.2)";
  }

  @Override
  public Result run(Effort effort) {
    Map<WeightDecay.Place, List<Double>> silent = paths(0, 1);
    List<Map<WeightDecay.Place, List<Double>>> noised =
        LongStream.rangeClosed(1, effort.seeds())
            .mapToObj(seed -> paths(LITTLE_NOISE, seed))
            .toList();
    List<Finding> findings = new ArrayList<>();
    NAMES.keySet().forEach(place -> findings.add(withoutNoise(place, silent)));
    NAMES.keySet().forEach(place -> findings.add(withNoise(place, noised)));
    findings.addAll(printed());
    List<Figure> figures =
        List.of(
            figure("Theta over the steps, without noise", "", silent),
            figure(
                "Theta over the steps, with noise of 0.05 R on the average gradient",
                " The figure shows one seed, the table all of them.",
                noised.get(0)),
            printedFigure(effort.quick() ? 8 : 70));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("target", TARGET);
    data.put("clip", CLIP);
    data.put("lambda", LAMBDA);
    data.put("learningRate", RATE);
    data.put("steps", STEPS);
    data.put("noiseMultiplier", LITTLE_NOISE);
    data.put("lot", RECORDS);
    data.put("seeds", effort.seeds());
    data.put("withoutNoise", numbers(silent));
    data.put("withNoise", noised.stream().map(ExtremeReproduction::numbers).toList());
    return new Result(findings, remarks(), figures, data);
  }

  private static Map<WeightDecay.Place, String> names() {
    Map<WeightDecay.Place, String> names = new LinkedHashMap<>();
    names.put(WeightDecay.Place.AFTER_NOISE, "after the noise");
    names.put(WeightDecay.Place.DECOUPLED, "decoupled");
    names.put(WeightDecay.Place.INSIDE_CLIP, "inside the clip");
    return names;
  }

  /** Returns theta at every step, starting from 0, for every place of the decay. */
  private static Map<WeightDecay.Place, List<Double>> paths(double noise, long seed) {
    Map<WeightDecay.Place, List<Double>> paths = new LinkedHashMap<>();
    for (WeightDecay.Place place : NAMES.keySet()) {
      List<Double> path = new ArrayList<>();
      new DecayRun(CLIP, LAMBDA, place, RATE, noise, RECORDS, STEPS)
          .train(records(), seed, (step, theta) -> path.add(theta[0]));
      paths.put(place, path);
    }
    return paths;
  }

  /** Returns records with feature 1 and target 3.8, so that the weight is theta. */
  private static Examples records() {
    float[] ones = new float[RECORDS];
    float[] targets = new float[RECORDS];
    Arrays.fill(ones, 1);
    Arrays.fill(targets, (float) TARGET);
    return new Examples(ones, 1, targets);
  }

  /** Returns the limit that the paper claims. */
  private static double end(WeightDecay.Place place) {
    return place == WeightDecay.Place.INSIDE_CLIP ? RIDGE : FIXED;
  }

  private static String published(WeightDecay.Place place) {
    return switch (place) {
      case AFTER_NOISE -> "2";
      case DECOUPLED -> "not given";
      case INSIDE_CLIP -> "2.53";
    };
  }

  private static Finding withoutNoise(
      WeightDecay.Place place, Map<WeightDecay.Place, List<Double>> paths) {
    double last = last(paths, place);
    return new Finding(
        NAMES.get(place) + ", no noise",
        published(place),
        Decimals.nearest(last, 4),
        verdict(place, new SeedStatistics(List.of(last))));
  }

  private static Finding withNoise(
      WeightDecay.Place place, List<Map<WeightDecay.Place, List<Double>>> seeds) {
    SeedStatistics last =
        new SeedStatistics(seeds.stream().map(paths -> last(paths, place)).toList());
    return new Finding(
        NAMES.get(place) + ", a little noise",
        published(place),
        last.text(4),
        verdict(place, last));
  }

  private static String verdict(WeightDecay.Place place, SeedStatistics last) {
    if (!last.near(end(place), 0.02)) {
      return "not reproduced";
    }
    return switch (place) {
      case AFTER_NOISE -> "reproduced: R / lambda, regardless of the data";
      case DECOUPLED -> "also R / lambda: without momentum, the update is the same";
      case INSIDE_CLIP -> "reproduced: the ridge solution theta* / (1 + lambda)";
    };
  }

  /**
   * Iterates the printed code. Its loss has no factor 1/2, and its penalty has the learning rate in
   * place of lambda.
   *
   * @param rate learning rate
   * @param insideDecay factor of theta in the gradient before clipping, or 0
   * @param afterNoise factor of theta after clipping, or 0
   * @return the limit of theta, or NaN if the recursion does not converge
   */
  static double printed(double rate, double insideDecay, double afterNoise) {
    double theta = 0;
    double moved = 1;
    for (int step = 0; step < 100_000 && Math.abs(moved) > 1e-12; step++) {
      double gradient = 2 * (theta - TARGET) + insideDecay * theta;
      double clipped = Math.max(-CLIP, Math.min(CLIP, gradient));
      moved = rate * (clipped + afterNoise * theta);
      theta -= moved;
    }
    return Math.abs(moved) > 1e-6 ? Double.NaN : theta;
  }

  private static List<Finding> printed() {
    List<Finding> findings = new ArrayList<>();
    for (double rate : new double[] {0.01, 0.1, 0.5}) {
      findings.add(
          new Finding(
              "code as printed, inside the clip, learning rate " + Decimals.plain(rate),
              "2.53",
              Decimals.nearest(printed(rate, rate, 0), 4),
              "the limit of the code is 2 theta* / (2 + eta), which depends on the learning"
                  + " rate, not on lambda"));
    }
    findings.add(
        new Finding(
            "code as printed, after the noise, decay lambda, any of these learning rates",
            "2",
            Decimals.nearest(printed(0.1, 0, LAMBDA), 4),
            "still R / lambda: clipping hides the missing factor 1/2"));
    findings.add(
        new Finding(
            "code as printed, after the noise with the same error, learning rate 0.1",
            "2",
            Decimals.nearest(printed(0.1, 0, 0.1), 4),
            "same as inside the clip: with a decay of only 0.1, clipping is inactive at the"
                + " end, so the two methods do not differ"));
    return findings;
  }

  private static List<String> remarks() {
    return List.of(
        "Method as defined: the trainer ran on "
            + RECORDS
            + " identical records, all of them in every step, with learning rate "
            + Decimals.plain(RATE)
            + " and "
            + STEPS
            + " steps. The paper gives neither value, and the limits do not depend on them."
            + " Decay after the noise stops where lambda theta equals the clipped gradient R."
            + " The data determine only the direction: any theta* above R + R / lambda = 3"
            + " would also end at 2. Inside the clip, the regularized gradient vanishes at the"
            + " ridge solution, and clipping a vanishing gradient changes nothing.",
        "Code as printed: the code in the appendix has learning_rate / 2 where the text has"
            + " lambda / 2, and a loss without the factor 1/2. Its gradient vanishes at 2 theta*"
            + " / (2 + eta), which is 2.53 only for a learning rate of 1. At that rate, the"
            + " recursion does not converge: convergence requires eta (2 + eta) < 2, so eta below"
            + " 0.73. The text is right, and the method works as described; the printed code does"
            + " not implement it.");
  }

  private static Figure figure(
      String title, String more, Map<WeightDecay.Place, List<Double>> paths) {
    List<Figure.Line> lines = new ArrayList<>();
    lines.add(line(WeightDecay.Place.INSIDE_CLIP, Figure.Look.MEASURED, 0, paths));
    lines.add(line(WeightDecay.Place.AFTER_NOISE, Figure.Look.MEASURED, 1, paths));
    lines.add(line(WeightDecay.Place.DECOUPLED, Figure.Look.MEASURED_TOO, 2, paths));
    lines.add(level("ridge, 2.53", RIDGE, 0, STEPS));
    lines.add(level("R / lambda, 2", FIXED, 0, STEPS));
    return new Figure(
        title,
        "With decay inside the clip, theta converges to the ridge solution. With decay after the"
            + " noise and with decoupled decay, whose curves coincide, it stops at R / lambda. The"
            + " data alone would give 3.8."
            + more,
        new Figure.Axis("steps", false),
        new Figure.Axis("theta", false),
        lines);
  }

  private static Figure.Line line(
      WeightDecay.Place place,
      Figure.Look look,
      int color,
      Map<WeightDecay.Place, List<Double>> paths) {
    List<Double> path = path(paths, place);
    List<Figure.Point> points =
        IntStream.range(0, path.size())
            .mapToObj(step -> new Figure.Point(step, path.get(step)))
            .toList();
    return new Figure.Line(String.valueOf(NAMES.get(place)), look, color, points);
  }

  private static Figure printedFigure(int points) {
    double[] rates = IntStream.rangeClosed(1, points).mapToDouble(i -> 0.7 * i / points).toArray();
    List<Figure.Point> inside = new ArrayList<>();
    List<Figure.Point> after = new ArrayList<>();
    List<Figure.Point> mistaken = new ArrayList<>();
    for (double rate : rates) {
      inside.add(new Figure.Point(rate, printed(rate, rate, 0)));
      after.add(new Figure.Point(rate, printed(rate, 0, LAMBDA)));
      mistaken.add(new Figure.Point(rate, printed(rate, 0, rate)));
    }
    double first = rates[0];
    return new Figure(
        "Code as printed: limit of theta over the learning rate",
        "With the learning rate in place of lambda, the limit depends on the learning rate."
            + " After the noise, the same error makes the decay so weak that both methods agree up"
            + " to a learning rate of about 0.3.",
        new Figure.Axis("learning rate", false),
        new Figure.Axis("theta at the end", false),
        List.of(
            new Figure.Line("printed, inside", Figure.Look.MEASURED, 0, inside),
            new Figure.Line("printed, after, lambda", Figure.Look.MEASURED, 1, after),
            new Figure.Line("printed, after, eta", Figure.Look.MEASURED_TOO, 3, mistaken),
            level("ridge, 2.53", RIDGE, first, 0.7),
            level("R / lambda, 2", FIXED, first, 0.7)));
  }

  private static Figure.Line level(String name, double y, double from, double to) {
    return new Figure.Line(
        name,
        Figure.Look.REFERENCE,
        0,
        List.of(new Figure.Point(from, y), new Figure.Point(to, y)));
  }

  private static double last(Map<WeightDecay.Place, List<Double>> paths, WeightDecay.Place place) {
    List<Double> path = path(paths, place);
    return path.get(path.size() - 1);
  }

  private static List<Double> path(
      Map<WeightDecay.Place, List<Double>> paths, WeightDecay.Place place) {
    return paths.getOrDefault(place, List.of());
  }

  private static Map<String, Object> numbers(Map<WeightDecay.Place, List<Double>> paths) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    paths.forEach((place, path) -> numbers.put(place.name(), path));
    return numbers;
  }
}
