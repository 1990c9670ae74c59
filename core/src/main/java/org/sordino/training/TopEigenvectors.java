package org.sordino.training;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Computes the space spanned by the eigenvectors of the largest eigenvalues of a symmetric matrix
 * by orthogonal iteration: multiply, orthonormalize, repeat. The matrix is shifted so that its
 * largest eigenvalues are also the largest in absolute value. The iteration includes a few more
 * vectors than requested, so that the requested ones converge quickly.
 */
final class TopEigenvectors {

  private static final int MORE = 8;
  private static final int MOST_ROUNDS = 300;
  private static final int ROUGH_ROUNDS = 50;
  private static final double SETTLED = 1e-9;

  private final double[][] matrix;
  private final int count;

  /** Values of all vectors, coordinate by coordinate, so that inner loops run over the vectors. */
  private double[][] vectors;

  TopEigenvectors(double[][] matrix, int count, Random start) {
    this.matrix = matrix;
    this.count = count;
    int carried = Math.min(matrix.length, count + MORE);
    vectors = new double[matrix.length][carried];
    for (double[] row : vectors) {
      Arrays.setAll(row, k -> start.nextGaussian());
    }
    orthonormalize();
  }

  /** Returns the orthonormal vectors, concatenated. */
  double[] find() {
    double shift = shift();
    double before = Double.NaN;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      double captured = multiply(shift);
      orthonormalize();
      if (Math.abs(captured - before) <= SETTLED * Math.abs(captured)) {
        break;
      }
      before = captured;
    }
    int n = matrix.length;
    double[] found = new double[count * n];
    for (int k = 0; k < count; k++) {
      for (int i = 0; i < n; i++) {
        found[k * n + i] = vectors[i][k];
      }
    }
    return found;
  }

  /**
   * Returns a shift that makes the smallest eigenvalue about 0 if it is negative. The smallest
   * eigenvalue is estimated by iterating with the matrix minus its largest absolute eigenvalue; a
   * few rounds are accurate enough.
   */
  private double shift() {
    double largest = extreme(0);
    double other = extreme(Math.abs(largest));
    return Math.max(0, other - Math.abs(largest));
  }

  /**
   * Returns the eigenvalue with the largest absolute value: of the matrix if {@code minus} is 0,
   * otherwise of {@code minus I - matrix}.
   */
  private double extreme(double minus) {
    int n = matrix.length;
    double[] v = new double[n];
    Arrays.setAll(v, i -> vectors[i][0]);
    double value = 0;
    for (int round = 0; round < ROUGH_ROUNDS; round++) {
      double[] product = new double[n];
      for (int i = 0; i < n; i++) {
        addTo(product, v[i], matrix[i]);
        product[i] -= minus * v[i];
      }
      value = 0;
      double square = 0;
      for (int i = 0; i < n; i++) {
        value += v[i] * product[i];
        square += product[i] * product[i];
      }
      if (square == 0) {
        return 0;
      }
      double length = Math.sqrt(square);
      Arrays.setAll(v, i -> product[i] / length);
    }
    return minus == 0 ? value : -value;
  }

  /**
   * Multiplies the vectors by the shifted matrix and returns the sum of the Rayleigh quotients of
   * the requested ones, which stops growing at convergence.
   */
  private double multiply(double shift) {
    int n = matrix.length;
    double[][] products = new double[n][];
    double[] inner = new double[n];
    IntStream.range(0, n)
        .parallel()
        .forEach(
            i -> {
              double[] product = new double[vectors[i].length];
              addTo(product, shift, vectors[i]);
              for (int j = 0; j < n; j++) {
                addTo(product, matrix[i][j], vectors[j]);
              }
              for (int k = 0; k < count; k++) {
                inner[i] += product[k] * vectors[i][k];
              }
              products[i] = product;
            });
    vectors = products;
    return Arrays.stream(inner).sum();
  }

  private static void addTo(double[] sum, double factor, double[] row) {
    for (int k = 0; k < sum.length; k++) {
      sum[k] += factor * row[k];
    }
  }

  /**
   * Gram-Schmidt, applied twice for accuracy. The first vectors converge to those of the largest
   * eigenvalues.
   */
  private void orthonormalize() {
    int carried = vectors[0].length;
    for (int k = 0; k < carried; k++) {
      for (int pass = 0; pass < 2; pass++) {
        // Inner products with all preceding vectors, in one pass.
        double[] inner = new double[k];
        for (double[] row : vectors) {
          addTo(inner, row[k], row);
        }
        for (double[] row : vectors) {
          double sum = 0;
          for (int l = 0; l < k; l++) {
            sum += inner[l] * row[l];
          }
          row[k] -= sum;
        }
      }
      double square = 0;
      for (double[] row : vectors) {
        square += row[k] * row[k];
      }
      for (double[] row : vectors) {
        row[k] /= Math.sqrt(square);
      }
    }
  }
}
