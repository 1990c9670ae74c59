package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.table.DemoCensus;
import org.sordino.table.TableSource;
import org.sordino.training.Safetensors;

/** Requires the DuckDB driver: {@code mvn -Pparquet -Dgroups=slow -DexcludedGroups= test}. */
@Tag("slow")
class ParquetTrainingTest {

  @TempDir private Path folder;

  @Test
  void train_sameRowsFromParquet_givesSameModelAsCsv() throws Exception {
    Path csv = folder.resolve("people.csv");
    Path parquet = folder.resolve("people.parquet");
    DemoCensus.write(csv, 3_000);
    try (Connection connection = duckDb();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "copy (select * from read_csv('%s')) to '%s' (format parquet)".formatted(csv, parquet));
    }

    assertThat(weights(TableSource.parquet(parquet), "parquet"))
        .isEqualTo(weights(TableSource.csv(csv), "csv"));
  }

  private static Connection duckDb() {
    try {
      return DriverManager.getConnection("jdbc:duckdb:");
    } catch (SQLException e) {
      assumeTrue(false, "the DuckDB driver is not on the class path; use -Pparquet");
      throw new AssertionError(e);
    }
  }

  private List<String> weights(TableSource source, String name) throws Exception {
    Run run =
        TableTraining.on(source)
            .label("employed")
            .population(3_000)
            .budget(1, 1e-5)
            .options(options -> options.steps(20))
            .insecureSeed(9)
            .train(folder.resolve(name));
    return Safetensors.ofBytes(Files.readAllBytes(run.directory().resolve("model.safetensors")))
        .tensors()
        .entrySet()
        .stream()
        .map(entry -> entry.getKey() + Arrays.toString(entry.getValue().values()))
        .toList();
  }
}
