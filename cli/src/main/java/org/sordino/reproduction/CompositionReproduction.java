package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.Calibration;
import org.sordino.report.AccountantPanel;
import org.sordino.report.CostCurves;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.report.PlannedRun;
import org.sordino.report.SolveFor;

/**
 * Section 5.1 and Figure 2 of Abadi et al. (2016, arXiv:1607.00133): how epsilon grows during
 * training according to every accountant, and how much noise a fixed budget requires.
 */
final class CompositionReproduction implements Reproduction {

  private static final Neighboring RELATION = Neighboring.ADD_OR_REMOVE_ONE;
  private static final double RATE = 0.01;
  private static final double NOISE = 4;
  private static final double DELTA = 1e-5;
  private static final int STEPS_PER_EPOCH = 100;
  private static final int LAST_EPOCH = 400;
  private static final int LOT = 600; // of 60,000 records: the lot size of the paper's MNIST runs
  private static final SolveFor QUESTION = new SolveFor(SolveFor.Target.EPSILON, DELTA);
  private static final PrivacyBudget TARGET = new PrivacyBudget(1, DELTA);

  @Override
  public String id() {
    return "composition";
  }

  @Override
  public String title() {
    return "Composition: epsilon during training (Abadi et al. 2016, section 5.1 and Figure 2)";
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public Result run(Effort effort) {
    boolean quick = effort.quick();
    Costs costs = new Costs();
    double[] epochs = epochs(quick ? 20 : 1);
    List<Figure.Line> growth = growth(costs, epochs);
    List<Figure.Line> noise = noise(stepCounts(quick ? 1 : 8));
    List<Figure> figures = new ArrayList<>();
    figures.add(overEpochs(growth));
    figures.add(noiseNeeded(noise));
    figures.add(growthRate(growth, costs));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("samplingRate", RATE);
    data.put("noiseMultiplier", NOISE);
    data.put("delta", DELTA);
    data.put("epsilonOverEpochs", numbers(growth));
    data.put("noiseMultiplierOverSteps", numbers(noise));
    return new Result(findings(costs), remarks(costs), figures, data);
  }

  /** Computes the epsilon of the paper's run after a number of epochs. */
  private static final class Costs {

    private final List<AccountantPanel.Member> members = AccountantPanel.of(run(1, NOISE));

    double epsilon(String name, double epochs) {
      return epsilon(name, epochs, NOISE);
    }

    double epsilon(String name, double epochs, double noise) {
      return QUESTION.answer(member(name).accountant(), run(epochs, noise).event());
    }

    /** Returns the exponent p in epsilon ~ epochs^p. */
    double slope(String name, double from, double to) {
      return Math.log(epsilon(name, to) / epsilon(name, from)) / Math.log(to / from);
    }

    AccountantPanel.Member member(String name) {
      return members.stream().filter(m -> m.name().equals(name)).findFirst().orElseThrow();
    }

    private static PlannedRun run(double epochs, double noise) {
      return new PlannedRun(RATE, noise, Math.round(epochs * STEPS_PER_EPOCH), RELATION, 1);
    }
  }

  private static double[] epochs(int stride) {
    return IntStream.rangeClosed(1, LAST_EPOCH)
        .filter(epoch -> epoch == 1 || epoch % stride == 0)
        .asDoubleStream()
        .toArray();
  }

  /** Returns step counts from 100 to 100,000, evenly spaced on a logarithmic axis. */
  private static double[] stepCounts(int perDecade) {
    return IntStream.rangeClosed(0, 3 * perDecade)
        .mapToDouble(i -> Math.round(100 * Math.pow(10, (double) i / perDecade)))
        .toArray();
  }

  private static List<Figure.Line> growth(Costs costs, double[] epochs) {
    return costs.members.stream()
        .map(
            member -> CostCurves.line(member, epochs, epoch -> costs.epsilon(member.name(), epoch)))
        .toList();
  }

  private static List<Figure.Line> noise(double[] stepCounts) {
    Set<String> compared = Set.of("tight", "rdp", "moments", "strong", "naive", "naiveFormula");
    return Stream.concat(
            AccountantPanel.all(RELATION).stream(), Stream.of(AccountantPanel.naiveFormula()))
        .filter(member -> compared.contains(member.name()))
        .map(
            member -> {
              Calibration calibration = Calibration.of(member.accountant(), TARGET);
              return CostCurves.line(
                  member, stepCounts, steps -> calibration.noiseMultiplier(RATE, (long) steps));
            })
        .toList();
  }

  private static Figure overEpochs(List<Figure.Line> growth) {
    List<Figure.Line> lines = new ArrayList<>(growth);
    lines.add(marks("printed: moments", 2, 1.26, 2.55));
    lines.add(marks("printed: strong", 3, 9.34, 24.22));
    return new Figure(
        "Epsilon over epochs (sampling rate 0.01, noise multiplier 4, delta 1e-5)",
        "Thick line: the guarantee. Solid: proven upper bounds. Dashed: not proven. Diamonds:"
            + " the numbers printed in the paper. The paper's strong composition lies below the"
            + " valid one and is not a bound.",
        new Figure.Axis("epochs", false),
        new Figure.Axis("epsilon", true),
        lines);
  }

  private static Figure.Line marks(String name, int color, double at100, double at400) {
    return new Figure.Line(
        name,
        Figure.Look.MARKS,
        color,
        List.of(new Figure.Point(100, at100), new Figure.Point(400, at400)));
  }

  private static Figure noiseNeeded(List<Figure.Line> noise) {
    return new Figure(
        "Noise multiplier needed for epsilon 1 at delta 1e-5, over the number of steps",
        "Sampling rate 0.01. Every method needs more noise for more steps. The noise grows in"
            + " proportion to the number of steps with naive composition and roughly with its"
            + " square root otherwise.",
        new Figure.Axis("steps", true),
        new Figure.Axis("noise multiplier", true),
        noise);
  }

  private static Figure growthRate(List<Figure.Line> growth, Costs costs) {
    List<Figure.Line> lines = new ArrayList<>(growth);
    double start = costs.epsilon("tight", 1);
    List<Figure.Point> root =
        DoubleStream.of(1, LAST_EPOCH)
            .mapToObj(epoch -> new Figure.Point(epoch, start * Math.sqrt(epoch)))
            .toList();
    lines.add(new Figure.Line("square root", Figure.Look.REFERENCE, 0, root));
    return new Figure(
        "Epsilon over epochs on logarithmic axes, where a power law is a straight line",
        "The guarantee follows the square root of the epochs (dotted). The moments accountant"
            + " of 2016 starts flat: it uses no moment above 32, so it never reports less than"
            + " ln(1/delta)/32 = 0.36. Later it follows the square root as well.",
        new Figure.Axis("epochs", true),
        new Figure.Axis("epsilon", true),
        lines);
  }

  private static List<Finding> findings(Costs costs) {
    List<Finding> findings = new ArrayList<>();
    findings.add(printed(costs, "moments", 100, "1.26", ""));
    findings.add(
        printed(
            costs,
            "moments",
            400,
            "2.55",
            "no variant of the 2016 accountant gives this value, but 392 epochs do ("
                + shown(costs.epsilon("moments", 392))
                + ")"));
    findings.add(printed(costs, "strongPaper", 100, "9.34", notABound(costs, 100)));
    findings.add(printed(costs, "strongPaper", 400, "24.22", notABound(costs, 400)));
    for (int epochs : new int[] {100, 400}) {
      findings.add(
          new Finding(
              "tight, " + epochs + " epochs",
              "not given",
              shown(costs.epsilon("tight", epochs)),
              "the guarantee: the actual privacy cost of the run"));
    }
    findings.add(growthFinding(costs));
    findings.add(averageFinding(costs));
    return findings;
  }

  private static Finding printed(
      Costs costs, String name, int epochs, String published, String reason) {
    double value = costs.epsilon(name, epochs);
    double off = value / Double.parseDouble(published) - 1;
    boolean same = Decimals.nearest(value, published.length() - 1).equals(published);
    String verdict =
        same
            ? "reproduced"
            : "not reproduced to the last digit, "
                + Decimals.nearest(100 * Math.abs(off), 2)
                + (off > 0 ? "% above" : "% below");
    return new Finding(
        name + ", " + epochs + " epochs",
        published,
        shown(value),
        reason.isEmpty() ? verdict : verdict + "; " + reason);
  }

  private static String notABound(Costs costs, int epochs) {
    return "not a bound: a valid strong composition gives "
        + shown(costs.epsilon("strong", epochs));
  }

  private static Finding growthFinding(Costs costs) {
    double factor = costs.epsilon("moments", 400) / costs.epsilon("moments", 100);
    return new Finding(
        "moments, four times the epochs (100 to 400)",
        "only a constant factor",
        "factor " + Decimals.nearest(factor, 3),
        "not constant: epsilon grows without limit, like the number of epochs to the power "
            + Decimals.nearest(costs.slope("moments", 100, 400), 2)
            + " (roughly the square root)");
  }

  private static Finding averageFinding(Costs costs) {
    return new Finding(
        "noise with standard deviation 4 C on the average of " + LOT + " records, 100 epochs",
        "noise on the average",
        shown(costs.epsilon("tight", 100, NOISE * LOT)),
        "not the mechanism that is accounted for: the noise multiplier is relative to the sum."
            + " On the average, the same noise is 4 C / "
            + LOT
            + "; noise of 4 C on the average would be a noise multiplier of "
            + Decimals.grouped(Math.round(NOISE * LOT)));
  }

  private static List<String> remarks(Costs costs) {
    return List.of(
        "The moments accountant's 1.26 is reproduced. The paper's strong composition is"
            + " reproduced as a formula, but it is not a valid bound. It applies the Gaussian"
            + " mechanism at an epsilon above 1, which the proof of the formula does not cover, and"
            + " it uses q epsilon as the epsilon of a sampled step, which is actually ln(1 + q"
            + " (e^epsilon - 1)).",
        "The privacy cost keeps growing with the length of training. From 100 to 400 epochs,"
            + " the growth exponents are "
            + slopes(costs)
            + ". A square root has the exponent 0.5. Naive composition grows at least in"
            + " proportion to the number of epochs.",
        "A noise multiplier sigma adds noise with standard deviation sigma C to the sum of the"
            + " clipped gradients. Dividing the noisy sum by the lot size also divides the noise."
            + " Noise with standard deviation sigma C on the average would drown the gradient.");
  }

  private static String slopes(Costs costs) {
    List<String> slopes = new ArrayList<>();
    for (AccountantPanel.Member member : costs.members) {
      double slope = costs.slope(member.name(), 100, 400);
      slopes.add(Decimals.nearest(slope, 2) + " (" + member.label() + ")");
    }
    return String.join(", ", slopes);
  }

  private static String shown(double epsilon) {
    return Decimals.nearest(epsilon, 5);
  }

  private static Map<String, Object> numbers(List<Figure.Line> lines) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    for (Figure.Line line : lines) {
      numbers.put(line.name(), line.points().stream().map(p -> List.of(p.x(), p.y())).toList());
    }
    return numbers;
  }
}
