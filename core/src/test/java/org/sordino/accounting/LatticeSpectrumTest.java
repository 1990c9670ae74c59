package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.accounting.LatticeCells.Layout;

/** Compares the tables on a small ring with plain convolution of the masses on that ring. */
class LatticeSpectrumTest {

  private static final int SIZE = 1 << 8;
  private static final double MESH = 0.125;
  private static final double TILT = 0.8;

  private static Layout layout(LossShape shape, double scale) {
    return new Layout(MESH, TILT, scale, 0.3, shape.loss(0), -9.5, 9.5, false, 100);
  }

  /** terms = 0: all by the transform. Large: all by direct sums. In between: some of each. */
  @ParameterizedTest
  @CsvSource({"0,3", "100000000,3", "20000,3", "0,1", "100000000,40", "0,40"})
  void tables_smallRing_equalPlainConvolution(long terms, int count) {
    LossShape first = new LossShape(0.3, 0, 1);
    LossShape second = new LossShape(0, 0.2, 1.5);
    LatticeCells[] low = {
      LatticeCells.lower(first, layout(first, 0.1)), LatticeCells.lower(second, layout(second, 0.2))
    };
    LatticeCells[] up = {
      LatticeCells.upper(first, layout(first, 0.1), low[0].offset()),
      LatticeCells.upper(second, layout(second, 0.2), low[1].offset())
    };
    LatticeSpectrum spectrum = new LatticeSpectrum(SIZE, MESH, TILT, terms);
    spectrum.add(up[0], low[0], count);
    spectrum.add(up[1], low[1], 2);

    double[][] tables = spectrum.tables();

    for (int side = 0; side < 2; side++) {
      LatticeCells[] cells = side == 0 ? up : low;
      double[] masses = new double[SIZE];
      masses[0] = 1;
      for (int i = 0; i < count; i++) {
        masses = convolve(masses, ring(cells[0]));
      }
      masses = convolve(convolve(masses, ring(cells[1])), ring(cells[1]));
      assertThat(spectrum.error(side)).isBetween(1e-17, 1e-10);
      for (int j = 0; j < SIZE; j++) {
        assertThat(tables[side][j])
            .as("side %s, point %s", side, j)
            .isCloseTo(expected(masses, j), within(spectrum.error(side) + 1e-15));
      }
    }
  }

  /** With many steps most powers are dropped, which counts as an error. */
  @ParameterizedTest
  @CsvSource({"0", "100000000"})
  void error_manySteps_boundsDroppedPowers(long terms) {
    LossShape shape = new LossShape(0.3, 0, 1);
    LatticeCells low = LatticeCells.lower(shape, layout(shape, 0.1));
    LatticeCells up = LatticeCells.upper(shape, layout(shape, 0.1), low.offset());
    LatticeSpectrum spectrum = new LatticeSpectrum(SIZE, MESH, TILT, terms);
    spectrum.add(up, low, 1000);
    double[][] tables = spectrum.tables();
    double[] masses = new double[SIZE];
    masses[0] = 1;
    double[] one = ring(up);
    for (int i = 0; i < 1000; i++) {
      masses = convolve(masses, one);
    }
    assertThat(spectrum.error(0)).isBetween(1e-17, terms == 0 ? 1e-10 : 1e-12);
    for (int j = 0; j < SIZE; j++) {
      assertThat(tables[0][j]).isCloseTo(expected(masses, j), within(spectrum.error(0) + 1e-13));
    }
  }

  /**
   * The spectrum of a smooth law falls below the resolution of a transform, which counts as an
   * error.
   */
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void error_vanishingModuli_boundsTheReplacement(int count) {
    LossShape shape = new LossShape(1, 0, 2);
    LatticeCells low = LatticeCells.lower(shape, layout(shape, 0.1));
    LatticeCells up = LatticeCells.upper(shape, layout(shape, 0.1), low.offset());
    LatticeSpectrum spectrum = new LatticeSpectrum(SIZE, MESH, TILT, 0);
    spectrum.add(up, low, count);
    double[][] tables = spectrum.tables();
    for (int side = 0; side < 2; side++) {
      double[] masses = ring(side == 0 ? up : low);
      masses = count == 1 ? masses : convolve(masses, masses);
      for (int j = 0; j < SIZE; j++) {
        assertThat(tables[side][j])
            .as("side %s, point %s", side, j)
            .isCloseTo(expected(masses, j), within(spectrum.error(side) + 1e-15));
      }
      assertThat(spectrum.error(side)).isLessThan(1e-8);
    }
  }

  private static double[] ring(LatticeCells cells) {
    double[] ring = new double[SIZE];
    cells.addTo(ring, Math.exp(-cells.logMoment(0)));
    return ring;
  }

  private static double[] convolve(double[] a, double[] b) {
    double[] c = new double[SIZE];
    for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
        c[(i + j) % SIZE] += a[i] * b[j];
      }
    }
    return c;
  }

  /**
   * Returns the sum over i &gt; 0 of the mass i points further, times e^(-c i h) (1 - e^(-i h)).
   */
  private static double expected(double[] masses, int j) {
    double sum = 0;
    for (int i = 1; i * MESH * TILT < 45; i++) {
      sum += masses[(j + i) % SIZE] * Math.exp(-TILT * i * MESH) * -Math.expm1(-i * MESH);
    }
    return sum;
  }
}
