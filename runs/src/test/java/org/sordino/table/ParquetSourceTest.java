package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Examples;

class ParquetSourceTest {

  @TempDir private Path folder;

  private static boolean hasDriver() {
    try {
      return DriverManager.getDriver("jdbc:duckdb:") != null;
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void parquet_noDriver_namesTheArtifact() {
    assumeFalse(hasDriver(), "DuckDB is on the class path");

    assertThatThrownBy(() -> TableSource.parquet(Path.of("people.parquet")))
        .isInstanceOf(TableException.class)
        .hasMessage(
            "people.parquet: Parquet files require the JDBC driver of DuckDB on the class path, got"
                + " none; add the dependency org.duckdb:duckdb_jdbc, or convert the file to CSV");
  }

  /** Requires the large driver of DuckDB: run with {@code mvn -Pparquet -Dgroups=slow ...}. */
  @Nested
  @Tag("slow")
  class WithDuckDb {

    @BeforeEach
    void requireDriver() {
      assumeTrue(hasDriver(), "DuckDB is not on the class path; run with -Pparquet");
    }

    @Test
    void labeled_file_givesTheBitsOfTheCsv() throws SQLException, IOException {
      List<People.Person> people = People.people(2500, 1);
      Path file = folder.resolve("people.parquet");
      write(people, file);
      TableSource source = TableSource.parquet(file);

      assertThat(source.name()).isEqualTo(file.toString());
      assertThat(source.columns()).isEqualTo(People.COLUMNS);
      assertThat(source.cached()).isSameAs(source);
      OwnedExamples expected = People.SCHEMA.labeled(People.csv(people), "id");
      Tables.assertSame(People.SCHEMA.labeled(source, "id"), expected);
      assertThat(Schema.draft(source, "employed").toJson())
          .isEqualTo(Schema.draft(TableSource.records(people), "employed").toJson());
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).containsExactly(file);
      }
    }

    @Test
    void unlabeled_manyRowGroups_keepTheOrder() throws SQLException {
      Path file = folder.resolve("many.parquet");
      int rows = 500_000;
      duck("copy (select i as x from range(" + rows + ") t(i)) to '" + file + "' (format parquet)");
      Schema schema =
          new Schema(
              List.of(
                  new NumericColumn("x", 0, rows, NumericColumn.Scale.LINEAR, List.of(), false)),
              Schema.MISSING,
              null,
              false);

      Examples examples = schema.unlabeled(TableSource.parquet(file));
      assertThat(examples.size()).isEqualTo(rows);
      for (int i = 0; i < rows; i++) {
        if (examples.features()[i] != (float) (2 * ((double) i / rows) - 1)) {
          throw new AssertionError("row " + i + " differs");
        }
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"it's.parquet", "a*b?c[d].parquet", "a\\b.parquet", "\u00fc \" ;--.pq"})
    void columns_oddName_isNotAPattern(String name) throws SQLException, IOException {
      Path year = Files.createDirectory(folder.resolve("year=2024"));
      Path plain = year.resolve("plain.parquet");
      duck("copy (select 1 as a) to '" + plain + "' (format parquet)");
      Path odd = Files.copy(plain, year.resolve(name));
      Files.writeString(year.resolve("aXbXcd.parquet"), "not a table");
      Schema schema = Schema.draft(TableSource.arrays(List.of("a"), ones()), null);

      assertThat(TableSource.parquet(odd).columns()).containsExactly("a");
      assertThat(schema.unlabeled(TableSource.parquet(odd)).size()).isOne();
    }

    private List<Object[]> ones() {
      return List.of(new Object[] {1}, new Object[] {2});
    }

    @Test
    void scan_badFile_isRefusedWithoutTheDriversMessage() throws IOException, SQLException {
      Path text = Files.writeString(folder.resolve("text.parquet"), "secret".repeat(100));
      assertRefused(text, "text.parquet must be a Parquet file that DuckDB can read; ");
      assertRefused(folder.resolve("none.parquet"), "none.parquet must be an existing file");
      assertRefused(folder, "must be a file, got a folder");

      Path list = folder.resolve("list.parquet");
      duck("copy (select 1 x, ['secret'] colour, 'no' y) to '" + list + "' (format parquet)");
      assertRefused(list, "row 1: column \"colour\" must be a string, a number");
      Path empty = folder.resolve("empty.parquet");
      duck("copy (select 1 x, 'a' colour, 'no' y limit 0) to '" + empty + "' (format parquet)");
      assertRefused(empty, "empty.parquet: the table must have at least one record, got none");
      Path other = folder.resolve("other.parquet");
      duck("copy (select 1 x, 'a' color, 'no' y) to '" + other + "' (format parquet)");
      assertRefused(
          other, "column \"colour\" must be in the file, got columns \"x\", \"color\", \"y\"");
    }

    private void assertRefused(Path file, String message) {
      assertThatThrownBy(() -> Tables.SMALL.labeled(TableSource.parquet(file)))
          .isInstanceOf(TableException.class)
          .hasNoCause()
          .hasMessageContaining(message)
          .message()
          .doesNotContain("secret");
    }

    private void write(List<People.Person> people, Path file) throws SQLException {
      try (Connection connection = DriverManager.getConnection("jdbc:duckdb:")) {
        DataSource database = Databases.lendingOnly(connection);
        Databases.run(database, Databases.PEOPLE);
        Databases.insert(database, people);
        Databases.run(
            database,
            "copy (select * exclude (pos) from people order by pos) to '"
                + file
                + "' (format parquet)");
      }
    }

    private void duck(String statement) throws SQLException {
      try (Connection connection = DriverManager.getConnection("jdbc:duckdb:")) {
        connection.createStatement().execute(statement);
      }
    }
  }
}
