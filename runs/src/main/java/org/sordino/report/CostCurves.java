package org.sordino.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.TightAccountant;

/** The privacy cost of a run as a function of the steps, as in Figure 2 of Abadi et al. (2016). */
public final class CostCurves {

  /**
   * The number of epochs in the paper's figure. More points are not distinguishable on a screen.
   */
  private static final int POINTS = 400;

  /** Number of points if the tight accountant needs its slow method. */
  private static final int POINTS_IF_SLOW = 20;

  private CostCurves() {}

  /** Returns at most {@code points} evenly spaced numbers of steps, ending with {@code last}. */
  public static double[] steps(long last, int points) {
    long count = Math.min(points, last);
    return LongStream.rangeClosed(1, count)
        .mapToDouble(i -> Math.round((double) last * i / count))
        .toArray();
  }

  /** Returns one line for each accountant. */
  public static List<Figure.Line> lines(SolveFor solveFor, AccountedRun accounted) {
    return lines(solveFor, accounted, POINTS);
  }

  /** Returns one line for each accountant, with at most {@code points} points each. */
  public static List<Figure.Line> lines(SolveFor solveFor, AccountedRun accounted, int points) {
    List<Figure.Line> lines = new ArrayList<>();
    for (AccountantPanel.Member member : AccountantPanel.of(accounted)) {
      int count = slow(member, solveFor, accounted) ? Math.min(points, POINTS_IF_SLOW) : points;
      lines.add(
          line(
              member,
              steps(accounted.steps(), count),
              steps -> solveFor.answer(member.accountant(), accounted.after((long) steps))));
    }
    return lines;
  }

  /**
   * Returns the line of an accountant at the given x values. The points are computed in parallel.
   */
  public static Figure.Line line(
      AccountantPanel.Member member, double[] xs, DoubleUnaryOperator y) {
    List<Figure.Point> points =
        DoubleStream.of(xs)
            .parallel()
            .mapToObj(x -> new Figure.Point(x, y.applyAsDouble(x)))
            .toList();
    return new Figure.Line(member.label(), member.look(), member.color(), points);
  }

  private static boolean slow(
      AccountantPanel.Member member, SolveFor solveFor, AccountedRun accounted) {
    if (member.look() != Figure.Look.GUARANTEE) {
      return false;
    }
    TightAccountant tight = TightAccountant.of(accounted.neighboring());
    return accounted.records() > 1
        || solveFor.bracket(tight, accounted.event()).method().compareTo(Bracket.Method.LATTICE)
            >= 0;
  }
}
