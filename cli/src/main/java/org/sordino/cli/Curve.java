package org.sordino.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.TightAccountant;

/** The cost of a run as it grows: Figure 2 of Abadi et al. (2016), for any run. */
final class Curve {

  /** As many as the paper's figure has epochs; more cannot be told apart on a screen. */
  private static final int POINTS = 400;

  /** Where the tight accountant needs its slow method, a coarser line must do. */
  private static final int POINTS_IF_SLOW = 20;

  private Curve() {}

  /** The numbers of steps to ask about, evenly spaced up to the last one. */
  static double[] steps(long last, int points) {
    long count = Math.min(points, last);
    return LongStream.rangeClosed(1, count)
        .mapToDouble(i -> Math.round((double) last * i / count))
        .toArray();
  }

  /** One line for each accountant. */
  static List<Figure.Line> lines(Question question, Spending spending) {
    return lines(question, spending, POINTS);
  }

  /** One line for each accountant, through at most so many points. */
  static List<Figure.Line> lines(Question question, Spending spending, int points) {
    List<Figure.Line> lines = new ArrayList<>();
    for (Panel.Member member : Panel.of(spending)) {
      int count = slow(member, question, spending) ? Math.min(points, POINTS_IF_SLOW) : points;
      lines.add(
          line(
              member,
              steps(spending.steps(), count),
              steps -> question.answer(member.accountant(), spending.after((long) steps))));
    }
    return lines;
  }

  /** An accountant's line through the given x; the points are computed side by side. */
  static Figure.Line line(Panel.Member member, double[] xs, DoubleUnaryOperator y) {
    List<Figure.Point> points =
        DoubleStream.of(xs)
            .parallel()
            .mapToObj(x -> new Figure.Point(x, y.applyAsDouble(x)))
            .toList();
    return new Figure.Line(member.label(), member.look(), member.colour(), points);
  }

  private static boolean slow(Panel.Member member, Question question, Spending spending) {
    if (member.look() != Figure.Look.GUARANTEE) {
      return false;
    }
    TightAccountant tight = TightAccountant.of(spending.neighbouring());
    return spending.records() > 1
        || question.bracket(tight, spending.event()).method().compareTo(Bracket.Method.LATTICE)
            >= 0;
  }
}
