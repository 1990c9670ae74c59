package org.sordino.training;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The space of the eigenvectors that belong to the largest eigenvalues of a symmetric matrix, by
 * orthogonal iteration: multiply, orthonormalize, repeat. The matrix is shifted so that the largest
 * eigenvalues are also the largest in size. A few more directions than asked for are carried along,
 * so that those asked for settle quickly.
 */
final class TopEigenvectors {

  private static final int MORE = 8;
  private static final int MOST_ROUNDS = 300;
  private static final int ROUGH_ROUNDS = 50;
  private static final double SETTLED = 1e-9;

  private final double[][] matrix;
  private final int count;

  /** Coordinate by coordinate, the value of every vector: inner loops run over the vectors. */
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

  /** The vectors one after the other, orthonormal. */
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
   * Makes the least eigenvalue about 0. It is found by multiplying with the matrix minus its
   * largest eigenvalue, which a few rounds know well enough.
   */
  private double shift() {
    double largest = extreme(0);
    double other = extreme(Math.abs(largest));
    return Math.max(0, other - Math.abs(largest));
  }

  /** The eigenvalue of the largest size: of the matrix for 0, else of {@code minus I - matrix}. */
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

  /** Multiplies the vectors; the trace of what they capture, to see when it no longer grows. */
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

  /** Gram-Schmidt, twice for good measure; the first vectors turn to the largest eigenvalues. */
  private void orthonormalize() {
    int carried = vectors[0].length;
    for (int k = 0; k < carried; k++) {
      for (int pass = 0; pass < 2; pass++) {
        // What the vector has of those before it, all at once.
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
