package org.sordino.training;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The eigenvectors that belong to the largest eigenvalues of a symmetric matrix, by orthogonal
 * iteration: multiply, orthonormalise, repeat. The matrix is shifted so that the largest
 * eigenvalues are also the largest in size. A few more directions than asked for are carried along,
 * so that those asked for settle quickly.
 */
final class TopEigenvectors {

  private static final int MORE = 8;
  private static final int MOST_ROUNDS = 500;
  private static final int ROUGH_ROUNDS = 50;

  private final double[][] matrix;
  private final int count;
  private final double[][] vectors;

  TopEigenvectors(double[][] matrix, int count, Random start) {
    this.matrix = matrix;
    this.count = count;
    int carried = Math.min(matrix.length, count + MORE);
    vectors = new double[carried][matrix.length];
    for (double[] vector : vectors) {
      Arrays.setAll(vector, i -> start.nextGaussian());
    }
    orthonormalise();
  }

  double[] find() {
    double shift = shift();
    double before = Double.NaN;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      double captured = multiply(shift);
      orthonormalise();
      if (Math.abs(captured - before) <= 1e-11 * Math.abs(captured)) {
        break;
      }
      before = captured;
    }
    double[] found = new double[count * matrix.length];
    for (int k = 0; k < count; k++) {
      System.arraycopy(vectors[k], 0, found, k * matrix.length, matrix.length);
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
    double[] v = vectors[0].clone();
    double value = 0;
    for (int round = 0; round < ROUGH_ROUNDS; round++) {
      double[] product = times(v, -minus);
      value = dot(v, product);
      double length = Math.sqrt(dot(product, product));
      if (length == 0) {
        return 0;
      }
      for (int i = 0; i < v.length; i++) {
        v[i] = product[i] / length;
      }
    }
    return minus == 0 ? value : -value;
  }

  /** Multiplies the vectors; the trace of what they capture, to see when it no longer grows. */
  private double multiply(double shift) {
    double[] inner = new double[vectors.length];
    IntStream.range(0, vectors.length)
        .parallel()
        .forEach(
            k -> {
              double[] product = times(vectors[k], shift);
              inner[k] = dot(product, vectors[k]);
              vectors[k] = product;
            });
    return Arrays.stream(inner, 0, count).sum();
  }

  /** (matrix + shift I) v. */
  private double[] times(double[] v, double shift) {
    double[] product = new double[v.length];
    for (int i = 0; i < v.length; i++) {
      product[i] = shift * v[i] + dot(matrix[i], v);
    }
    return product;
  }

  /** Gram-Schmidt, twice for good measure; the first vectors turn to the largest eigenvalues. */
  private void orthonormalise() {
    for (int k = 0; k < vectors.length; k++) {
      double[] v = vectors[k];
      for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < k; l++) {
          double inner = dot(v, vectors[l]);
          for (int i = 0; i < v.length; i++) {
            v[i] -= inner * vectors[l][i];
          }
        }
      }
      double length = Math.sqrt(dot(v, v));
      for (int i = 0; i < v.length; i++) {
        v[i] /= length;
      }
    }
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
