package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.sordino.Neighboring;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.TightAccountant;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.training.WeightDecay;

/**
 * Guo (2024), sections 5.1 and 5.2: linear regression with weight decay after the noise (DP-SGD)
 * and inside the clip, in three settings; the method as defined and the code as printed.
 */
final class LinearReproduction implements Reproduction {

  private static final double TOLERANCE = 0.1;
  private static final double DELTA = 1e-5;

  /**
   * A setting with its printed test losses.
   *
   * @param setting what is trained
   * @param after the loss of DP-SGD
   * @param inside the loss with the decay inside the clip
   */
  private record Printed(DecayExperiment.Case setting, double after, double inside) {}

  /** What was measured in one setting; one run per seed in every list. */
  private record Measured(
      Printed printed,
      List<DecayExperiment.Run> after,
      List<DecayExperiment.Run> inside,
      List<DecayExperiment.Run> codeAfter,
      List<DecayExperiment.Run> codeInside) {

    DecayExperiment.Case setting() {
      return printed.setting;
    }
  }

  /** Not published: a clip so wide that it is not active at the end. */
  private static final DecayExperiment.Case WIDE =
      new DecayExperiment.Case("R = 10, lambda = 0.1", 10, 0.1, 0.03, 100);

  private final DecayExperiment experiment;
  private final String title;
  private final List<Printed> printed;

  private LinearReproduction(DecayExperiment experiment, String title, double... losses) {
    this.experiment = experiment;
    this.title = title;
    this.printed =
        List.of(
            new Printed(
                new DecayExperiment.Case("R = 0.1, lambda = 0.01", 0.1, 0.01, 0.03, 100),
                losses[0],
                losses[1]),
            new Printed(
                new DecayExperiment.Case("R = 0.01, lambda = 0.01", 0.01, 0.01, 0.1, 200),
                losses[2],
                losses[3]),
            new Printed(
                new DecayExperiment.Case("R = 0.1, lambda = 0.1", 0.1, 0.1, 0.03, 100),
                losses[4],
                losses[5]));
  }

  static LinearReproduction oneFeature() {
    return new LinearReproduction(
        new DecayExperiment("linear-1", List.of(10.0)),
        "Weight decay in linear regression, one feature: Guo (2024), section 5.1",
        5.93,
        0.51,
        84.81,
        0.51,
        79.74,
        4.81);
  }

  static LinearReproduction twoFeatures() {
    return new LinearReproduction(
        new DecayExperiment("linear-2", List.of(10.0, 5.0)),
        "Weight decay in linear regression, two features: Guo (2024), section 5.2",
        13.26,
        0.63,
        101.66,
        0.63,
        95.47,
        5.96);
  }

  @Override
  public String id() {
    return experiment.id();
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Result run(Effort effort) {
    int longer = effort.quick() ? 3 : 10;
    List<Measured> all = printed.stream().map(p -> measure(p, longer, effort)).toList();
    List<DecayExperiment.Run> wideAfter =
        experiment.defined(WIDE, WeightDecay.Place.AFTER_NOISE, 1, effort);
    List<DecayExperiment.Run> wideInside =
        experiment.defined(WIDE, WeightDecay.Place.INSIDE_CLIP, 1, effort);
    List<Finding> findings = new ArrayList<>();
    all.forEach(measured -> findings.addAll(asDefined(measured, longer)));
    all.forEach(measured -> findings.addAll(ends(measured, longer)));
    findings.add(wide("after the noise", wideAfter));
    findings.add(wide("inside the clip", wideInside));
    all.forEach(measured -> findings.addAll(asPrinted(measured)));
    all.forEach(measured -> findings.add(minimum(measured)));
    List<Figure> figures = new ArrayList<>();
    for (Measured measured : all) {
      figures.add(normFigure(measured));
      figures.add(lossFigure(measured));
    }
    return new Result(findings, remarks(), figures, data(all, longer, effort));
  }

  private Measured measure(Printed p, int longer, Effort effort) {
    return new Measured(
        p,
        experiment.defined(p.setting, WeightDecay.Place.AFTER_NOISE, longer, effort),
        experiment.defined(p.setting, WeightDecay.Place.INSIDE_CLIP, longer, effort),
        experiment.printed(p.setting, false, effort),
        experiment.printed(p.setting, true, effort));
  }

  // The table

  private List<Finding> asDefined(Measured measured, int longer) {
    DecayExperiment.Case setting = measured.setting();
    double epochs = setting.epochs();
    SeedStatistics after = losses(measured.after, epochs, setting.lambda());
    SeedStatistics inside = losses(measured.inside, epochs, setting.lambda());
    boolean lower = true;
    for (int seed = 0; seed < after.values().size(); seed++) {
      lower &= inside.values().get(seed) < after.values().get(seed);
    }
    String direction =
        lower ? "; below DP-SGD in every seed, as published" : "; not below DP-SGD in every seed";
    return List.of(
        new Finding(
            setting.name() + ": test loss, DP-SGD, as defined",
            Decimals.plain(measured.printed.after),
            shown(measured.after, epochs, setting.lambda()),
            comparison(after, measured.printed.after, whyAfter(measured, longer))),
        new Finding(
            setting.name() + ": test loss, inside the clip, as defined",
            Decimals.plain(measured.printed.inside),
            shown(measured.inside, epochs, setting.lambda()),
            comparison(inside, measured.printed.inside, whyInside(measured, longer)) + direction));
  }

  /** Within a tenth is called reproduced; from a twentieth on, the reason is said all the same. */
  private static String comparison(SeedStatistics loss, double published, String why) {
    String verdict = loss.near(published, TOLERANCE) ? "reproduced within 10 %" : "not reproduced";
    return verdict
        + " ("
        + off(loss, published)
        + ")"
        + (loss.near(published, TOLERANCE / 2) ? "" : ": " + why);
  }

  private static String off(SeedStatistics loss, double published) {
    double ratio = loss.mean() / published;
    return ratio > 2
        ? Decimals.nearest(ratio, 2) + " times"
        : Decimals.nearest(100 * Math.abs(ratio - 1), 2) + " % " + (ratio > 1 ? "above" : "below");
  }

  private String whyAfter(Measured measured, int longer) {
    return onItsWay(measured.setting(), measured.after, longer)
        + (several()
            ? "clipped gradients of two features do not point the same way, so theta gets less far"
                + " than R / lambda"
            : "how far it is depends on how many records there were, which is inferred");
  }

  private String whyInside(Measured measured, int longer) {
    DecayExperiment.Case setting = measured.setting();
    return onItsWay(setting, measured.inside, longer)
        + "clipped steps go at most eta R T = "
        + Decimals.nearest(setting.reach(), 3)
        + (several() ? ", and different directions leave 2/pi of that" : "");
  }

  private static String onItsWay(
      DecayExperiment.Case setting, List<DecayExperiment.Run> runs, int longer) {
    double now = spread(runs, run -> run.norm(setting.epochs())).mean();
    double later = spread(runs, run -> run.norm((double) setting.epochs() * longer)).mean();
    return Math.abs(later / now - 1) > 0.03
        ? "theta is still on its way (norm "
            + Decimals.nearest(now, 3)
            + ", later "
            + Decimals.nearest(later, 3)
            + "); "
        : "";
  }

  /** What the method achieves in the end, and where. */
  private List<Finding> ends(Measured measured, int longer) {
    DecayExperiment.Case setting = measured.setting();
    double last = (double) setting.epochs() * longer;
    SeedStatistics after = spread(measured.after, run -> run.norm(last));
    SeedStatistics inside = spread(measured.inside, run -> run.norm(last));
    double ridge = experiment.ridgeNorm(setting.lambda());
    String when = ", " + longer + " times the epochs";
    return List.of(
        new Finding(
            setting.name() + ": norm of theta, DP-SGD" + when,
            Decimals.plain(Math.rint(1e6 * setting.fixed()) / 1e6) + " (R / lambda)",
            after.text(3),
            endAfter(setting, after)),
        new Finding(
            setting.name() + ": norm of theta, inside the clip" + when,
            Decimals.nearest(ridge, 3) + " (ridge)",
            inside.text(3),
            inside.near(ridge, 0.02)
                ? "the ridge solution within 2 %"
                : "not the ridge solution, "
                    + Decimals.nearest(100 * Math.abs(1 - inside.mean() / ridge), 2)
                    + " % off: records are still clipped there"));
  }

  private String endAfter(DecayExperiment.Case setting, SeedStatistics norm) {
    if (norm.near(setting.fixed(), TOLERANCE)) {
      return "reproduced within 10 %: R / lambda, whatever the data say";
    }
    return several() && norm.near(alignment() * setting.fixed(), TOLERANCE)
        ? "2/pi of R / lambda: the clipped gradients have norm R, but do not all point towards"
            + " theta*"
        : "R / lambda is an upper bound; it is not reached, since records that are not clipped or"
            + " point elsewhere pull less";
  }

  private Finding wide(String name, List<DecayExperiment.Run> runs) {
    SeedStatistics norm = spread(runs, run -> run.norm(WIDE.epochs()));
    double ridge = experiment.ridgeNorm(WIDE.lambda());
    return new Finding(
        WIDE.name() + " (ours, hardly any clipping): norm of theta, " + name,
        Decimals.nearest(ridge, 3) + " (ridge)",
        norm.text(3),
        norm.near(ridge, 0.02)
            ? "the ridge solution within 2 %: without clipping the place of the decay is all one"
            : "not the ridge solution");
  }

  private List<Finding> asPrinted(Measured measured) {
    DecayExperiment.Case setting = measured.setting();
    double epochs = setting.epochs();
    double lambda = setting.lambda();
    return List.of(
        new Finding(
            setting.name() + ": reported loss, DP-SGD, code as printed",
            Decimals.plain(measured.printed.after),
            shown(measured.codeAfter, epochs, lambda),
            explained(losses(measured.codeAfter, epochs, lambda), measured.printed.after, "")),
        new Finding(
            setting.name() + ": reported loss, inside the clip, code as printed",
            Decimals.plain(measured.printed.inside),
            shown(measured.codeInside, epochs, lambda),
            explained(
                losses(measured.codeInside, epochs, lambda),
                measured.printed.inside,
                "; theta is not regularised, the loss is the penalty")));
  }

  private static String explained(SeedStatistics loss, double published, String more) {
    String off = " (" + off(loss, published) + ")";
    if (!loss.near(published, TOLERANCE)) {
      return "does not explain the printed number" + off;
    }
    return loss.deviation() > TOLERANCE * published
        ? "compatible on average" + off + ", but single seeds differ by much more" + more
        : "fits the printed number within 10 %" + off + more;
  }

  /** A rival explanation: a penalty that works, a loss without 1/2, and no effect of clipping. */
  private Finding minimum(Measured measured) {
    double half = measured.setting().lambda() / 2;
    double square = experiment.targetNorm() * experiment.targetNorm();
    double noise = DecayExperiment.LABEL_NOISE * DecayExperiment.LABEL_NOISE;
    SeedStatistics loss = new SeedStatistics(List.of(square * half / (1 + half) + noise));
    return new Finding(
        measured.setting().name()
            + ": minimum of (prediction - y)^2 + lambda/2 |theta|^2, a formula",
        Decimals.plain(measured.printed.inside),
        loss.text(3),
        explained(loss, measured.printed.inside, ""));
  }

  // What the comparison shows

  private List<String> remarks() {
    return List.of(
        dataRemark(),
        "As defined: Sordino's trainer, Poisson lots, noise sigma R on the sum, loss (prediction -"
            + " y)^2 / 2 + lambda/2 |theta|^2 per record, decay after the noise or inside the clip."
            + " The test loss is the mean of (prediction - y)^2 plus the penalty lambda/2 |theta|^2,"
            + " because the printed losses contain it; in brackets the same without the penalty.",
        "As printed: the code in the appendix is another algorithm. The penalty is computed on"
            + " detached values and has no gradient, gradients are not zeroed between the records of"
            + " a lot, noise of deviation sigma R goes to theta scaled neither by eta nor by 1/L."
            + " Details that are not known were chosen: lots of fixed size, a zero gradient at the"
            + " start of every lot, a decay that works in DP-SGD.",
        "What agreement means here: theta* and the number of records were themselves taken from the"
            + " printed losses, so a single number that agrees confirms little; the test is whether"
            + " one set of data gives all six. For the printed losses of the method there are two"
            + " readings, the code as printed (theta* itself, and the penalty in the loss), and the"
            + " minimum of the loss without 1/2 with a penalty that works, which fits as well or"
            + " better. The method as defined gives neither in so many steps, except where said.",
        methodRemark(),
        "Clipping limits the speed: a step moves theta by at most eta R. The second setting has eta"
            + " R T = "
            + Decimals.plain(Math.rint(1e6 * printed.get(1).setting.reach()) / 1e6)
            + " for a way of "
            + Decimals.nearest(experiment.targetNorm(), 3)
            + ", so the printed loss of the method cannot be reached there, as defined, with this"
            + " number of steps. With many more steps it could; but then DP-SGD in the first setting"
            + " would have come closer than printed.",
        unexplained(),
        "A noise multiplier of 0.1 protects nobody: the first setting costs epsilon = "
            + Decimals.up(epsilon(), 3)
            + " at delta 1e-5. The experiment is about clipping, not about privacy.");
  }

  private String dataRemark() {
    String first = "The paper's data are not at hand; these are inferred from its numbers. ";
    String common =
        DecayExperiment.RECORDS
            + " records, standard normal features, label noise of deviation 0.1, and a test set of "
            + Decimals.grouped(DecayExperiment.TEST_RECORDS)
            + ". The number of records makes "
            + Decimals.grouped(printed.get(0).setting.steps())
            + " steps of 100 epochs; if every record is clipped, DP-SGD follows 10 (1 - e^(-eta"
            + " lambda t)), and the printed loss of the first setting asks for about 4,700.";
    return first
        + (several()
            ? "The penalty 0.01/2 |theta*|^2 = 0.625 explains 0.63, so |theta*|^2 is about 125; we"
                + " take theta* = (10, 5). With |theta| = R / lambda = 1, (11.18 - 1)^2 = 103.6"
                + " stands against the printed 101.66 and 95.47. "
            : "With |theta| = R / lambda = 1, (10 - 1)^2 = 81 stands against the printed 84.81 and"
                + " 79.74, and 0.01/2 * 100 = 0.5 explains 0.51: so theta* = 10 and E x^2 = 1. ")
        + common;
  }

  private String methodRemark() {
    return "What the method itself achieves: decay inside the clip removes the pull to R / lambda, as"
        + " claimed, and its loss is below that of DP-SGD in every setting. But its end is the ridge"
        + " solution only where the clip is not active there. Otherwise each record pulls with R, and"
        + " records with small features, for which lambda theta outweighs the data, pull to zero:"
        + " the balance is a median of the records, not their mean."
        + (several()
            ? ""
            : " With one standard normal feature and all records clipped it is theta* m / (m +"
                + " lambda), m = 0.455 the median of x^2: 8.20 for lambda = 0.1, where ridge has"
                + " 9.09.")
        + " A wide clip (R = 10) restores the ridge solution, for both places of the decay.";
  }

  private String unexplained() {
    return "Not explained: the loss of DP-SGD in the second setting over that in the third is 1.064 in"
        + " the paper, with one feature and with two, though theta should end at R / lambda = 1 in"
        + " both."
        + (several()
            ? " The printed losses of DP-SGD fit gradients that all point towards theta* (4,700 steps"
                + " then give 13.1 in the first setting, and R / lambda = 1 gives 103.6 in the others),"
                + " as if the gradients of many records had been added before they were clipped;"
                + " adding them up within a lot of 10, as the printed code does, goes half of the way."
            : " As printed, the noise is not scaled by eta, so one seed alone says little: see the"
                + " spread of DP-SGD in the first setting.");
  }

  private double epsilon() {
    DecayExperiment.Case setting = printed.get(0).setting;
    PrivacyPlan plan =
        new PrivacyPlan(
            DecayExperiment.RECORDS,
            DecayExperiment.LOT,
            setting.steps(),
            DecayExperiment.NOISE,
            Neighboring.ADD_OR_REMOVE_ONE);
    return TightAccountant.of(plan.neighboring()).epsilonBracket(plan.event(), DELTA).upper();
  }

  // The figures

  private Figure normFigure(Measured measured) {
    DecayExperiment.Case setting = measured.setting();
    DecayExperiment.Run inside = measured.inside.get(0);
    double ridge = experiment.ridgeNorm(setting.lambda());
    List<Figure.Line> lines = new ArrayList<>();
    lines.add(line("inside the clip", 0, inside, inside::norm));
    lines.add(line("after the noise", 1, measured.after.get(0), measured.after.get(0)::norm));
    lines.add(level("ridge", ridge, inside));
    lines.add(level("R / lambda", setting.fixed(), inside));
    double perEpoch = setting.rate() * setting.clip() * DecayExperiment.STEPS_PER_EPOCH;
    List<Figure.Point> fastest =
        inside.epochs().stream()
            .filter(epoch -> perEpoch * epoch <= experiment.targetNorm())
            .map(epoch -> new Figure.Point(epoch, perEpoch * epoch))
            .toList();
    lines.add(new Figure.Line("eta R t", Figure.Look.REFERENCE, 0, fastest));
    return new Figure(
        setting.name() + ": |theta| over the epochs",
        "As defined, one seed; published were "
            + setting.epochs()
            + " epochs. Dotted: the ridge solution, R / lambda, and the way that clipped steps can"
            + " go, eta R per step.",
        new Figure.Axis("epochs", true),
        new Figure.Axis("|theta|", false),
        lines);
  }

  private Figure lossFigure(Measured measured) {
    DecayExperiment.Case setting = measured.setting();
    double lambda = setting.lambda();
    DecayExperiment.Run inside = measured.inside.get(0);
    DecayExperiment.Run after = measured.after.get(0);
    List<Figure.Line> lines = new ArrayList<>();
    lines.add(line("inside the clip", 0, inside, epoch -> inside.loss(epoch, lambda)));
    lines.add(line("after the noise", 1, after, epoch -> after.loss(epoch, lambda)));
    lines.add(level("ridge", experiment.lossAt(experiment.ridgeNorm(lambda), lambda), inside));
    lines.add(mark("printed: inside", 0, setting.epochs(), measured.printed.inside));
    lines.add(mark("printed: DP-SGD", 1, setting.epochs(), measured.printed.after));
    return new Figure(
        setting.name() + ": test loss with penalty over the epochs",
        "As defined, one seed. Diamonds: the printed losses, after "
            + setting.epochs()
            + " epochs. Dotted: the loss of the ridge solution.",
        new Figure.Axis("epochs", true),
        new Figure.Axis("test loss with penalty", true),
        lines);
  }

  private static Figure.Line line(
      String name, int color, DecayExperiment.Run run, ToDoubleFunction<Double> y) {
    List<Figure.Point> points =
        run.epochs().stream()
            .map(epoch -> new Figure.Point(epoch, y.applyAsDouble(epoch)))
            .toList();
    return new Figure.Line(name, Figure.Look.MEASURED, color, points);
  }

  private static Figure.Line level(String name, double y, DecayExperiment.Run run) {
    List<Double> epochs = run.epochs();
    return new Figure.Line(
        name,
        Figure.Look.REFERENCE,
        0,
        List.of(
            new Figure.Point(epochs.get(0), y),
            new Figure.Point(epochs.get(epochs.size() - 1), y)));
  }

  private static Figure.Line mark(String name, int color, double x, double y) {
    return new Figure.Line(name, Figure.Look.MARKS, color, List.of(new Figure.Point(x, y)));
  }

  // Numbers

  private boolean several() {
    return experiment.target().size() > 1;
  }

  /**
   * E |cos| between a standard normal vector and a fixed direction: 1 on a line, 2/pi in a plane.
   */
  private double alignment() {
    return several() ? 2 / Math.PI : 1;
  }

  private static SeedStatistics spread(
      List<DecayExperiment.Run> runs, ToDoubleFunction<DecayExperiment.Run> value) {
    return new SeedStatistics(runs.stream().map(run -> value.applyAsDouble(run)).toList());
  }

  private static SeedStatistics losses(
      List<DecayExperiment.Run> runs, double epochs, double lambda) {
    return spread(runs, run -> run.loss(epochs, lambda));
  }

  private static String shown(List<DecayExperiment.Run> runs, double epochs, double lambda) {
    return losses(runs, epochs, lambda).text(3)
        + " ("
        + Decimals.nearest(spread(runs, run -> run.error(epochs)).mean(), 3)
        + ")";
  }

  private Map<String, Object> data(List<Measured> all, int longer, Effort effort) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("target", experiment.target());
    data.put("records", DecayExperiment.RECORDS);
    data.put("lot", DecayExperiment.LOT);
    data.put("noiseMultiplier", DecayExperiment.NOISE);
    data.put("seeds", effort.seeds());
    data.put("timesTheEpochs", longer);
    data.put("settings", all.stream().map(this::numbers).toList());
    return data;
  }

  private Map<String, Object> numbers(Measured measured) {
    DecayExperiment.Case setting = measured.setting();
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("clip", setting.clip());
    numbers.put("lambda", setting.lambda());
    numbers.put("learningRate", setting.rate());
    numbers.put("epochs", setting.epochs());
    numbers.put("ridgeNorm", experiment.ridgeNorm(setting.lambda()));
    numbers.put("afterNoise", runs(measured.after, setting.epochs()));
    numbers.put("insideClip", runs(measured.inside, setting.epochs()));
    numbers.put("printedDpSgd", runs(measured.codeAfter, setting.epochs()));
    numbers.put("printedInsideClip", runs(measured.codeInside, setting.epochs()));
    return numbers;
  }

  /** For every seed what the tables are made of; the whole curve for the first, which is drawn. */
  private static Map<String, Object> runs(List<DecayExperiment.Run> runs, double epochs) {
    DecayExperiment.Run first = runs.get(0);
    double last = first.epochs().get(first.epochs().size() - 1);
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("norm", spread(runs, run -> run.norm(epochs)).values());
    numbers.put("error", spread(runs, run -> run.error(epochs)).values());
    if (last > epochs) {
      numbers.put("normAtTheEnd", spread(runs, run -> run.norm(last)).values());
      numbers.put("errorAtTheEnd", spread(runs, run -> run.error(last)).values());
      Map<String, Object> curve = new LinkedHashMap<>();
      curve.put("epochs", first.epochs());
      curve.put("norm", first.norms());
      curve.put("error", first.errors());
      numbers.put("curveOfTheFirstSeed", curve);
    }
    return numbers;
  }
}
