package org.sordino.training;

import java.util.List;
import java.util.Random;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/**
 * Private principal component analysis of the inputs (Abadi et al. 2016, section 4; Dwork et al.
 * 2014, "Analyze Gauss"). Rows are scaled to unit norm, the sum of x xT is released with noise, and
 * the eigenvectors of its largest eigenvalues are kept.
 *
 * <p>The matrix is symmetric, so a record contributes only the upper triangle, with entries off the
 * diagonal multiplied by sqrt(2). The norm of this vector equals the norm of the matrix, 1, and the
 * noise on an entry off the diagonal is sqrt(1/2) of what it would be with noise on the whole
 * matrix.
 */
public final class PrincipalDirections {

  private static final String NAME = "principal directions";
  private static final double ROOT = Math.sqrt(2);

  private PrincipalDirections() {}

  /**
   * Returns the query.
   *
   * @param width number of values of a row
   * @param noiseMultiplier noise multiplier of the query
   */
  public static PrivateQuery query(int width, double noiseMultiplier) {
    if (width < 1 || width > 20_000) {
      throw new IllegalArgumentException(
          "principal directions require rows of 1 to 20,000 values, got " + width);
    }
    VectorGroup group = VectorGroup.flat(NAME, List.of("gram"), 1);
    return new PrivateQuery(
        NAME, Mechanism.of(layout(width), List.of(group), NoiseAllocation.EQUAL, noiseMultiplier));
  }

  private static Layout layout(int width) {
    return Layout.of(new Layout.Vector("gram", width * (width + 1) / 2));
  }

  /** Returns an engine that computes the sum of the query. */
  public static GradientEngine engine(Rows rows, Records records) {
    return new Engine(rows, records);
  }

  /**
   * Returns the principal directions in an answer.
   *
   * @param answer answer to the query
   * @param width number of values of a row
   * @param count number of directions
   * @return orthonormal directions, concatenated, with {@code width} values each
   */
  public static double[] of(double[] answer, int width, int count) {
    if (count < 1 || count > width) {
      throw new IllegalArgumentException(
          "number of directions must be at least 1 and at most the row width "
              + width
              + ", got "
              + count);
    }
    double[][] matrix = new double[width][width];
    int at = 0;
    for (int i = 0; i < width; i++) {
      for (int j = i; j < width; j++) {
        matrix[i][j] = i == j ? answer[at] : answer[at] / ROOT;
        matrix[j][i] = matrix[i][j];
        at++;
      }
    }
    return new TopEigenvectors(matrix, count, new Random(1)).find();
  }

  private static final class Engine extends RowSums {

    Engine(Rows rows, Records records) {
      super("principal-directions-1", PrincipalDirections.layout(rows.width()), rows, records);
    }

    /**
     * For the computed y = x / |x|, |y| is 1 up to a relative error of (d + 8) u, and each product
     * has a relative error of at most 3 u. The squared norm is therefore at most 1 + (4 d + 40) u.
     */
    @Override
    Adder adder(Clipping clipping, long[] sums) {
      return (row, factor) -> {
        int d = row.length;
        double square = 0;
        for (float x : row) {
          square += (double) x * x;
        }
        double length = Math.sqrt(square);
        double[] bound = {1 + (4 * d + 40) * 0x1p-53};
        double[] weight = new double[1];
        clipping.weights(bound, weight);
        boolean usable = length > 0 && length < Double.POSITIVE_INFINITY;
        double scale = usable ? weight[0] * factor / clipping.unit(0) : 0;
        int at = 0;
        for (int i = 0; i < d; i++) {
          double y = row[i] / length;
          if (y != 0) {
            sums[at] = Math.addExact(sums[at], (long) (scale * (y * y)));
            double side = scale * ROOT * y;
            for (int j = 1; j < d - i; j++) {
              sums[at + j] = Math.addExact(sums[at + j], (long) (side * (row[i + j] / length)));
            }
          }
          at += d - i;
        }
      };
    }
  }
}
