package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScatteringTest {

  private static final int SIDE = 32;
  private static final int SQUARES = 16;

  /**
   * Returns the features of one plane: 16 averages, then 8 x 16 fine, 8 x 16 coarse and 64 x 16
   * second-order features.
   */
  private static float[] features(float[] image) {
    TorchData one = TorchData.of(image, new int[] {1, SIDE, SIDE}, new float[1]);
    try (FeatureExtractor wavelets = FeatureExtractor.scattering()) {
      TorchData found = wavelets.features(one, new int[] {1, SIDE, SIDE}, 1);
      float[] features = new float[found.width()];
      found.read(0, features);
      return features;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void features_grating_excitesItsOrientation(int orientation) {
    double angle = orientation * Math.PI / 8;
    float[] fine = grating(angle, 0.75 * Math.PI);
    float[] coarse = grating(angle, 0.375 * Math.PI);

    assertThat(strongest(features(fine), SQUARES)).isEqualTo(orientation);
    assertThat(strongest(features(coarse), 9 * SQUARES)).isEqualTo(orientation);
  }

  private static float[] grating(double angle, double frequency) {
    float[] image = new float[SIDE * SIDE];
    for (int k = 0; k < image.length; k++) {
      int row = k / SIDE;
      double along = (k - row * SIDE) * Math.cos(angle) + row * Math.sin(angle);
      image[k] = (float) Math.cos(frequency * along);
    }
    return image;
  }

  private static int strongest(float[] features, int from) {
    int best = -1;
    double most = Double.NEGATIVE_INFINITY;
    for (int orientation = 0; orientation < 8; orientation++) {
      double sum = 0;
      for (int k = 0; k < SQUARES; k++) {
        sum += features[from + orientation * SQUARES + k];
      }
      if (sum > most) {
        most = sum;
        best = orientation;
      }
    }
    return best;
  }

  @Test
  void features_flatImage_areZero_andOthersAreStandardized() {
    float[] flat = new float[SIDE * SIDE];
    java.util.Arrays.fill(flat, 3);
    for (float feature : features(flat)) {
      assertThat(feature).isCloseTo(0, within(1e-2f));
    }
    float[] found = features(grating(0.3, 1));
    assertThat(found).hasSize(81 * SQUARES);
    double mean = 0;
    double square = 0;
    for (int k = 17 * SQUARES; k < found.length; k++) {
      mean += found[k] / (64.0 * SQUARES);
      square += found[k] * found[k] / (64.0 * SQUARES);
    }
    assertThat(mean).isCloseTo(0, within(1e-4));
    assertThat(square).isCloseTo(1, within(2e-2));
  }
}
