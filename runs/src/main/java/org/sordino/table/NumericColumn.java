package org.sordino.table;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A column of numbers with declared bounds. Numbers outside the bounds are moved to the nearer
 * bound.
 *
 * <p>The first feature is the number, scaled from -1 at the lower bound to 1 at the upper bound. On
 * the scale {@link Scale#LOG} it grows logarithmically over three decades, as ln(1 + 1000 t) / ln
 * 1001 with t from 0 to 1, which suits incomes and counts.
 *
 * <p>Knots add a linear spline over the first feature, so that a linear model can fit a piecewise
 * linear function. The spline has one feature for the lower bound, one for each knot and one for
 * the upper bound. Each is 1 at its position, falls to 0 at the neighboring positions and is 0
 * beyond them. For a missing value all these features are 0, and an additional feature is 1 if
 * missing values are declared.
 *
 * @param min the lower bound
 * @param max the upper bound
 * @param knots numbers between the bounds, in ascending order; may be empty
 * @param missing whether missing values are declared
 */
public record NumericColumn(
    String name, double min, double max, Scale scale, List<Double> knots, boolean missing)
    implements Column {

  /** The scale of the numbers between the bounds. */
  public enum Scale {
    LINEAR,
    LOG
  }

  private static final int MOST_KNOTS = 50;
  private static final double DECADES = 1000;
  private static final double LOG_RANGE = Math.log1p(DECADES);

  public NumericColumn {
    Column.checkName(name);
    knots = List.copyOf(knots);
    if (!(min < max && Double.isFinite(min) && Double.isFinite(max - min))) {
      throw new TableException(
          "min must be below max, and both must be finite, got "
              + text(min)
              + " and "
              + text(max)
              + "; correct the bounds");
    }
    if (knots.size() > MOST_KNOTS) {
      throw new TableException(
          "knots must have at most 50 entries, got " + knots.size() + "; delete some");
    }
    double last = min;
    for (double knot : knots) {
      if (!(knot > last && knot < max)) {
        throw new TableException(
            "knots must be ascending numbers between min and max, got "
                + text(knot)
                + "; sort the list and delete numbers outside the bounds");
      }
      last = knot;
    }
  }

  @Override
  public List<String> featureNames() {
    List<String> names = new ArrayList<>(List.of(name));
    for (double corner : corners()) {
      names.add(name + "~" + text(corner));
    }
    if (missing) {
      names.add(name + " missing");
    }
    return names;
  }

  @Override
  public FieldEncoder encoder(Vocabulary missingTexts) {
    return new Encoder(missingTexts);
  }

  NumericColumn withKnots(List<Double> other) {
    return new NumericColumn(name, min, max, scale, other, missing);
  }

  @Override
  public String expected() {
    return "a number";
  }

  /** Returns the number on the scale of the column, from -1 to 1. */
  double scaled(double number) {
    double t = (Math.min(Math.max(number, min), max) - min) / (max - min);
    return 2 * (scale == Scale.LOG ? Math.log1p(DECADES * t) / LOG_RANGE : t) - 1;
  }

  private static void spline(double[] corners, double x, float[] row, int at) {
    for (int i = 1; i < corners.length; i++) {
      if (x <= corners[i]) {
        double share = (x - corners[i - 1]) / (corners[i] - corners[i - 1]);
        row[at + i - 1] = (float) (1 - share);
        row[at + i] = (float) share;
        return;
      }
    }
  }

  private double[] corners() {
    double[] corners = new double[knots.isEmpty() ? 0 : knots.size() + 2];
    for (int i = 0; i < corners.length; i++) {
      corners[i] = i == 0 ? min : i <= knots.size() ? knots.get(i - 1) : max;
    }
    return corners;
  }

  /** Encodes a number, from text or already parsed. */
  private final class Encoder implements FieldEncoder {

    private final Vocabulary missingTexts;
    private final boolean numbersToo; // whether a number, such as -9, represents a missing value
    private final double[] corners;

    private Encoder(Vocabulary missingTexts) {
      this.missingTexts = missingTexts;
      this.numbersToo = missingTexts.texts().stream().anyMatch(NumberText::isNumber);
      this.corners = Arrays.stream(corners()).map(NumericColumn.this::scaled).toArray();
    }

    @Override
    public boolean encode(char[] buffer, int offset, int length, float[] row, int at) {
      double number = NumberText.parse(buffer, offset, length);
      if (Double.isNaN(number) || numbersToo) {
        boolean gone = missingTexts.find(buffer, offset, length) >= 0;
        if (gone && missing) {
          row[at + 1 + corners.length] = 1;
        }
        if (gone || Double.isNaN(number)) {
          return gone;
        }
      }
      write(number, row, at);
      return true;
    }

    @Override
    public boolean encode(FieldText field, float[] row, int at) {
      if (!field.isNumber() || numbersToo) {
        return FieldEncoder.super.encode(field, row, at);
      }
      write(field.number(), row, at);
      return true;
    }

    private void write(double number, float[] row, int at) {
      double x = scaled(number);
      row[at] = (float) x;
      spline(corners, x, row, at + 1);
    }
  }

  static String text(double number) {
    if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      return Long.toString((long) number);
    }
    return Double.isFinite(number)
        ? new BigDecimal(Double.toString(number)).stripTrailingZeros().toString()
        : Double.toString(number);
  }
}
