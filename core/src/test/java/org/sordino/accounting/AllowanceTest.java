package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.sordino.accounting.LatticeCells.Layout;
import org.sordino.accounting.LossQuadrature.Cutoff;

/**
 * Pins the sums of all rounding allowances, in units of u. Losing an allowance, or flipping its
 * sign, would not make any tested value wrong, because a worst-case bound is hardly ever reached.
 * The golden values were computed with this code after its error analysis
 * (docs/explanation/accounting.md) had been reviewed. A deliberate change of an allowance must
 * update them.
 */
class AllowanceTest {

  private static final double U = Bracket.U;

  private record Allowance(String name, double actual) {}

  private final List<Allowance> found = new ArrayList<>();

  private void add(String name, double actual) {
    found.add(new Allowance(name, actual));
  }

  private static double width(Bracket bracket) {
    return bracket.width() / bracket.upper() / U;
  }

  @Test
  void closedForms_bracketWidths_areAsReviewed() {
    for (double[] at : new double[][] {{0.5, 0.3}, {3, 10}, {0.01, 1e-3}, {20, 100}, {2, 0}}) {
      String name = "gaussian mu " + at[0] + " epsilon " + at[1];
      add(name, width(GaussianCurve.gaussian(at[0]).delta(at[1])));
    }
    List<Step> steps = List.of(new Step(1, 3, 7), new Step(1, 9, 2), new Step(1, 4, 1));
    for (Direction direction : Direction.values()) {
      add("gaussians " + direction, width(GaussianCurve.gaussian(steps, direction).delta(1.3)));
      for (double[] at :
          new double[][] {
            {0.1, 1, 0.05}, {0.1, 1, 0}, {0.3, 0.5, 0.2}, {1e-5, 0.6, 2e-6}, {0.9, 2, 1}
          }) {
        Step step = new Step(at[0], at[1], 1);
        String name = direction + " q " + at[0] + " sigma " + at[1] + " epsilon " + at[2];
        add(name, width(GaussianCurve.singleStep(step, direction).delta(at[2])));
      }
    }
    compare();
  }

  @Test
  void contour_bracketWidths_areAsReviewed() {
    List<List<Step>> runs =
        List.of(
            List.of(new Step(0.01, 4, 10_000)),
            List.of(new Step(0.04, 1.5, 2500)),
            List.of(new Step(0.001, 0.8, 50_000)),
            List.of(new Step(0.02, 2, 400), new Step(0.1, 3, 50), new Step(1, 6, 2)),
            List.of(new Step(1, 2, 10)));
    for (List<Step> steps : runs) {
      for (Direction direction : Direction.values()) {
        Contour contour = Objects.requireNonNull(Contour.forDelta(steps, direction, 1e-5));
        for (double factor : new double[] {1, 1.03}) {
          Bracket bracket = contour.delta(factor * contour.estimate());
          add("contour " + steps + direction + " times " + factor, width(bracket));
        }
      }
    }
    compare();
  }

  @Test
  void moments_errors_areAsReviewed() {
    Object[][] rules = {
      {Direction.REMOVE, 0.01, 4.0, 1e-6},
      {Direction.REMOVE, 0.3, 0.5, 0.0},
      {Direction.ADD, 0.04, 1.5, 0.0},
      {Direction.ADD, 0.9, 0.4, 0.0},
      {Direction.REPLACE, 0.2, 0.7, 1e-5},
      {Direction.REPLACE, 0.01, 3.0, 0.0},
      {Direction.REMOVE, 1e-7, 1.0, 0.0}
    };
    for (Object[] at : rules) {
      double q = (double) at[1];
      double sigma = (double) at[2];
      Cutoff cutoff = (double) at[3] == 0 ? Cutoff.NONE : Cutoff.losing((double) at[3], q, sigma);
      LossQuadrature rule =
          Objects.requireNonNull(
              LossQuadrature.of(new Step(q, sigma, 1), (Direction) at[0], cutoff, 4, 20));
      String name = at[0] + " q " + q + " sigma " + sigma;
      for (double c : new double[] {0.2, 4}) {
        LossQuadrature.Approximate k = rule.logMoment(c);
        add("logMoment " + name + " c " + c, k.error() / Math.abs(k.value()) / U);
        StepMoment moment = new StepMoment(rule, c);
        for (double t : new double[] {0, 2, 15}) {
          moment.at(t);
          double scale = Math.min(1, Math.hypot(moment.log, moment.turn));
          add("moment " + name + " c " + c + " t " + t, moment.error / scale / U);
        }
      }
    }
    compare();
  }

  @Test
  void lattices_errors_areAsReviewed() {
    for (LossShape shape :
        List.of(
            new LossShape(0.2, 0, 1),
            new LossShape(0, 0.2, 1),
            new LossShape(0.2, 0.2, 1),
            new LossShape(0.01, 0, 2),
            new LossShape(1, 0, 0.7))) {
      for (double mesh : new double[] {0.125, 0.01}) {
        Layout at = new Layout(mesh, 0.8, 0.1, 0.3, shape.loss(0), -7.5, 9, true, 100);
        LatticeCells low = LatticeCells.lower(shape, at);
        LatticeCells up = LatticeCells.upper(shape, at, low.offset());
        String name = shape + " mesh " + mesh;
        add("shift of lower " + name, low.shift() / U);
        add("shift of upper " + name, up.shift() / U);
        add("masses of lower " + name, low.relativeError() / U);
        add("masses of upper " + name, up.relativeError() / U);
        for (long terms : new long[] {0, 1_000_000}) {
          LatticeSpectrum spectrum = new LatticeSpectrum(1 << 9, mesh, 0.8, terms);
          spectrum.add(up, low, 40);
          spectrum.add(up, low, 3);
          spectrum.tables();
          add("table of upper " + name + " terms " + terms, spectrum.error(0) / U);
          add("table of lower " + name + " terms " + terms, spectrum.error(1) / U);
        }
      }
    }
    compare();
  }

  /**
   * Compares to 2%. The ends of a bracket are themselves doubles, so a few units are granularity.
   */
  private void compare() {
    Map<String, Double> reviewed = new HashMap<>();
    for (String line : Golden.lines("allowances.csv").skip(1).toList()) {
      int bar = line.indexOf('|');
      reviewed.put(line.substring(0, bar), Double.parseDouble(line.substring(bar + 1)));
    }
    assertThat(found).isNotEmpty();
    for (Allowance allowance : found) {
      Double expected = reviewed.get(allowance.name);
      assertThat(expected).as(allowance.name).isNotNull();
      assertThat(allowance.actual)
          .as(allowance.name)
          .isCloseTo(expected, within(0.02 * expected + 2.5));
    }
  }
}
