package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.training.Examples;

/** Reads a million records, which takes two to three seconds on an idle two-core machine. */
@Tag("slow")
class LargeTableTest {

  private static final int ROWS = 1_000_000;

  @Test
  void training_aMillionRecords_areAllRead(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("large.csv");
    write(file);
    CsvSource source = CsvSource.of(file, CsvOptions.DEFAULT);
    Schema schema = Schema.draft(source, "y");
    Examples examples = schema.labeled(source);

    assertThat(examples.size()).isEqualTo(ROWS);
    assertThat(examples.width()).isEqualTo(19);
  }

  private static void write(Path file) throws IOException {
    SplittableRandom random = new SplittableRandom(8);
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int j = 0; j < 19; j++) {
        out.write("x" + j + ",");
      }
      out.write("y\n");
      for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 19; j++) {
          out.write(random.nextInt(-3, 4) + "." + random.nextInt(100_000, 1_000_000) + ",");
        }
        out.write(random.nextInt(2) + "\n");
      }
    }
  }
}
