package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

class PrivateQueryTest {

  private static final int CASES = 1000;
  private static final int WIDTH = 6;

  private static Examples rows(SplittableRandom random, int size) {
    float[] features = new float[size * WIDTH];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextDouble(-1, 2);
    }
    return new Examples(features, WIDTH, new float[size]);
  }

  private static GradientEngine engine(PrivateQuery query, Rows rows, Records records) {
    return query.name().equals("normalisation")
        ? ChannelStatistics.engine(rows, records, 3)
        : PrincipalDirections.engine(rows, records);
  }

  private static PrivateQuery query(String name) {
    return name.equals("normalisation")
        ? ChannelStatistics.query(3, 1)
        : PrincipalDirections.query(WIDTH, 1);
  }

  private static long[] sums(PrivateQuery query, Rows rows, Records records) {
    try (GradientEngine engine = engine(query, rows, records)) {
      assertThat(engine.layout()).isEqualTo(query.mechanism().layout());
      long[] sums = new long[engine.layout().dimension()];
      Clipping clipping = query.mechanism().clipping(100, 0, engine.roundingSlack());
      engine.sum(PoissonSample.of(RandomKey.insecure(1), 0, 1), new double[0], clipping, sums);
      return sums;
    }
  }

  /** The last user, with half of the rows, or the last example is added or removed. */
  @ParameterizedTest
  @ValueSource(strings = {"normalisation", "principal directions"})
  void record_changesTheAnswerByAtMostItsBound(String name) {
    PrivateQuery query = query(name);
    SplittableRandom random = new SplittableRandom(name.hashCode());
    double largest = 0;
    for (int c = 0; c < CASES; c++) {
      int size = 2 + random.nextInt(6);
      boolean byUser = random.nextBoolean();
      Examples with = rows(random, size);
      NeighborContract.spoil(random, with, random.doubles(WIDTH).toArray(), 1);
      int stay = byUser ? size / 2 : size - 1;
      Examples without =
          new Examples(Arrays.copyOf(with.features(), stay * WIDTH), WIDTH, new float[stay]);
      long[] more = sums(query, with, records(with, byUser));
      long[] less = sums(query, without, records(without, byUser && stay > 0, size));
      largest = Math.max(largest, used(query, more, less));
    }
    assertThat(largest).isBetween(0.5, 1 + 2e-14);
  }

  private static Records records(Examples rows, boolean byUser) {
    return records(rows, byUser, rows.size());
  }

  private static Records records(Examples rows, boolean byUser, int all) {
    if (!byUser) {
      return Records.examples(rows.size());
    }
    List<String> users =
        IntStream.range(0, rows.size()).mapToObj(i -> i >= all / 2 ? "half" : "user" + i).toList();
    return Records.users(new ArrayList<>(users), 3, rows::digest);
  }

  private static double used(PrivateQuery query, long[] more, long[] less) {
    Layout layout = query.mechanism().layout();
    VectorGroup group = query.mechanism().groups().get(0);
    Clipping clipping = query.mechanism().clipping(100, 0, 0);
    double square = 0;
    for (int vector = 0; vector < layout.size(); vector++) {
      for (int i = layout.offset(vector); i < layout.offset(vector + 1); i++) {
        double moved = (more[i] - less[i]) * clipping.unit(vector) / group.scales().get(vector);
        square += moved * moved;
      }
    }
    return Math.sqrt(square) / group.bound();
  }

  @Test
  void channelStatistics_withoutNoise_areExact() {
    SplittableRandom random = new SplittableRandom(3);
    float[] features = new float[2000 * WIDTH];
    for (int i = 0; i < features.length; i++) {
      int channel = i % WIDTH / 2;
      features[i] = (float) (0.2 + 0.25 * channel + 0.1 * (channel + 1) * random.nextDouble(-1, 1));
    }
    Examples rows = new Examples(features, WIDTH, new float[2000]);
    PrivateQuery query = ChannelStatistics.query(3, 1);
    long[] sums = sums(query, rows, Records.examples(2000));
    Clipping clipping = query.mechanism().clipping(100, 0, 0);
    double[] answer = new double[6];
    for (int i = 0; i < 6; i++) {
      answer[i] = sums[i] * clipping.unit(i / 3) / 2000;
    }
    ChannelStatistics found = ChannelStatistics.of(answer);
    for (int channel = 0; channel < 3; channel++) {
      double mean = 0;
      double square = 0;
      for (int i = 0; i < features.length; i++) {
        if (i % WIDTH / 2 == channel) {
          mean += features[i] / 4000;
          square += features[i] * (double) features[i] / 4000;
        }
      }
      assertThat(found.means()[channel]).isCloseTo(mean, within(1e-6));
      assertThat(found.deviations()[channel])
          .isCloseTo(Math.sqrt(square - mean * mean), within(1e-6));
    }
  }

  @Test
  void principalDirections_withoutNoise_areThoseOfTheRows() {
    // Rows along two directions: most variance in the first, less in the second, little noise.
    double[][] directions = {{3, 4, 0, 0, 0, 0}, {0, 0, 1, -1, 0, 0}};
    Random random = new Random(2);
    float[] features = new float[3000 * WIDTH];
    for (int i = 0; i < 3000; i++) {
      double a = 2 * random.nextGaussian();
      double b = 1.5 * random.nextGaussian();
      for (int j = 0; j < WIDTH; j++) {
        features[i * WIDTH + j] =
            (float)
                (a * directions[0][j] / 5
                    + b * directions[1][j] / Math.sqrt(2)
                    + 0.05 * random.nextGaussian());
      }
    }
    Examples rows = new Examples(features, WIDTH, new float[3000]);
    PrivateQuery query = PrincipalDirections.query(WIDTH, 1);
    long[] sums = sums(query, rows, Records.examples(3000));
    double unit = query.mechanism().clipping(100, 0, 0).unit(0);
    double[] answer = new double[sums.length];
    for (int i = 0; i < answer.length; i++) {
      answer[i] = sums[i] * unit;
    }
    double[] found = PrincipalDirections.of(answer, WIDTH, 2);
    for (double[] direction : directions) {
      double a = dot(found, 0, direction);
      double b = dot(found, WIDTH, direction);
      double length = Arrays.stream(direction).map(x -> x * x).sum();
      assertThat((a * a + b * b) / length).isCloseTo(1, within(1e-3));
    }
  }

  private static double dot(double[] found, int from, double[] direction) {
    double sum = 0;
    for (int j = 0; j < direction.length; j++) {
      sum += found[from + j] * direction[j];
    }
    return sum;
  }

  /** A matrix with known eigenvectors: Q diag(values) QT, with eigenvalues of both signs. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 12})
  void topEigenvectors_spanTheSpaceOfTheLargestEigenvalues(int count) {
    int n = 12;
    double[] q = orthonormal(n);
    double[] values = {9, 7, 5, 3, 2, 1, 0.5, 0, -0.5, -3, -8, -20};
    double[][] matrix = new double[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
          matrix[i][j] += values[k] * q[k * n + i] * q[k * n + j];
        }
      }
    }
    double[] found = new TopEigenvectors(matrix, count, new Random(5)).find();
    for (int j = 0; j < count; j++) {
      double inside = 0;
      for (int k = 0; k < count; k++) {
        double inner = 0;
        for (int i = 0; i < n; i++) {
          inner += found[k * n + i] * q[j * n + i];
        }
        inside += inner * inner;
      }
      assertThat(inside).as("direction %d", j).isCloseTo(1, within(1e-6));
    }
  }

  /** Returns the columns of I - 2 v vT. */
  private static double[] orthonormal(int n) {
    Random random = new Random(3);
    double[] v = random.doubles(n, -1, 1).toArray();
    double square = Arrays.stream(v).map(x -> x * x).sum();
    double[] q = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        q[i * n + j] = (i == j ? 1 : 0) - 2 * v[i] * v[j] / square;
      }
    }
    return q;
  }

  @Test
  void moreDirectionsThanInputs_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrincipalDirections.of(new double[21], WIDTH, 7))
        .withMessageContaining("at most the row width 6, got 7");
  }
}
