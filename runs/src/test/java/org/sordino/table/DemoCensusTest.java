package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.training.Examples;

class DemoCensusTest {

  @Test
  void csv_twice_isTheSame() {
    assertThat(DemoCensus.csv(500)).isEqualTo(DemoCensus.csv(500));
    assertThat(DemoCensus.csv(1000)).startsWith(DemoCensus.csv(500));
  }

  @Test
  void people_shares_matchTheCounty() {
    Examples people = DemoCensus.schema().labeled(DemoCensus.source(DemoCensus.PEOPLE));
    // Fulton County, 2000: sex, married, black, asian, college degree, military service, not a
    // citizen, disability, not good at English.
    double[] county = {0.5274, 0.4518, 0.4234, 0.0321, 0.3748, 0.1282, 0.0743, 0.2153, 0.0358};

    assertThat(people.size()).isEqualTo(20_000);
    assertThat(people.width()).isEqualTo(9);
    for (int j = 0; j < county.length; j++) {
      assertThat(mean(people, j)).as("feature " + j).isCloseTo(county[j], within(0.03));
    }
    assertThat(employed(people)).isCloseTo(0.628, within(0.01));
  }

  @Test
  void people_bestClassifier_hasAccuracyOfTwoThirds() {
    Examples people = DemoCensus.schema().labeled(DemoCensus.source(DemoCensus.PEOPLE));
    int right = 0;
    for (int i = 0; i < people.size(); i++) {
      right += (logit(Tables.row(people, i)) > 0) == (people.targets()[i] == 1) ? 1 : 0;
    }

    assertThat(right / 20_000.0).isBetween(0.66, 0.68);
  }

  @Test
  void write_file_readsBack(@TempDir Path folder) {
    Path file = folder.resolve("demo.csv");
    DemoCensus.write(file, 300);
    Schema drafted = Schema.draft(CsvSource.of(file, CsvOptions.DEFAULT), DemoCensus.LABEL);

    assertThat(drafted.labeled(CsvSource.of(file, CsvOptions.DEFAULT)).size()).isEqualTo(300);
    assertThat(drafted.classes()).containsExactly("0", "1");
  }

  /** The logit of the generator, for features in their order and direction. */
  private static double logit(float[] f) {
    return 1.21
        + 0.06
        - 0.39
        - 0.65 * f[0]
        - 0.21 * f[1]
        - 0.09 * f[2]
        - 0.5 * f[3]
        + 1.09 * f[4]
        - 0.33 * f[5]
        + 0.39 * f[6]
        - 0.87 * f[7]
        - 0.06 * f[8];
  }

  private static double mean(Examples people, int feature) {
    double sum = 0;
    for (int i = 0; i < people.size(); i++) {
      sum += Tables.row(people, i)[feature];
    }
    return sum / people.size();
  }

  private static double employed(Examples people) {
    double sum = 0;
    for (float target : people.targets()) {
      sum += target;
    }
    return sum / people.size();
  }
}
