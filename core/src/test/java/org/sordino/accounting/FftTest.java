package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FftTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 512, 1024})
  void transform_randomNumbers_equalsTheDefinition(int size) {
    Random random = new Random(size);
    double[] re = random.doubles(size, -1, 1).toArray();
    double[] im = random.doubles(size, -1, 1).toArray();
    double[][] expected = naive(re, im);
    double total =
        DoubleStream.of(re).map(Math::abs).sum() + DoubleStream.of(im).map(Math::abs).sum();

    Fft fft = Fft.of(size);
    fft.transform(re, im);

    double tolerance = (fft.relativeError() + 4e-16) * total; // the definition rounds, too
    for (int k = 0; k < size; k++) {
      assertThat(re[k]).isCloseTo(expected[0][k], within(tolerance));
      assertThat(im[k]).isCloseTo(expected[1][k], within(tolerance));
    }
  }

  @Test
  void transform_blocksBeyondTheCache_turnsOneImpulseIntoAWave() {
    int size = 1 << 15;
    double[] re = new double[size];
    double[] im = new double[size];
    re[4099] = 1;

    Fft fft = Fft.of(size);
    fft.transform(re, im);

    for (int k = 0; k < size; k++) {
      double angle = 2 * Math.PI * ((4099L * k) % size) / size;
      assertThat(re[k]).isCloseTo(Math.cos(angle), within(fft.relativeError()));
      assertThat(im[k]).isCloseTo(-Math.sin(angle), within(fft.relativeError()));
    }
  }

  @Test
  void of_notAPowerOfTwo_throws() {
    assertThatThrownBy(() -> Fft.of(12))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 12");
  }

  private static double[][] naive(double[] re, double[] im) {
    int n = re.length;
    double[][] out = new double[2][n];
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < n; j++) {
        double angle = -2 * Math.PI * ((j * k) % n) / n;
        out[0][k] += re[j] * Math.cos(angle) - im[j] * Math.sin(angle);
        out[1][k] += re[j] * Math.sin(angle) + im[j] * Math.cos(angle);
      }
    }
    return out;
  }
}
