package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.table.CsvOptions;
import org.sordino.table.Schema;
import org.sordino.table.TableEngine;
import org.sordino.table.TableException;

class PlainFilesTest {

  @TempDir private Path folder;

  private Path write(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "deleted rows");
  }

  private static List<String> at(Path location) {
    return PlainFiles.at(location.toUri().toString(), new Configuration());
  }

  @ParameterizedTest
  @CsvSource({
    "_delta_log/00000000000000000000.json, part-0.parquet, ., Delta Lake, delta",
    "_delta_log/00000000000000000000.json, part-0.parquet, part-0.parquet, Delta Lake, delta",
    "_delta_log/00000000000000000000.json, y=2024/m=1/p.parquet, y=2024/m=1, Delta Lake, delta",
    "_delta_log/00000000000000000000.json, y=2024/m=1/p.parquet, ., Delta Lake, delta",
    "metadata/v1.metadata.json, data/part-0.parquet, data, Apache Iceberg, iceberg",
    "metadata/v1.gz.metadata.json, data/a=1/p.parquet, ., Apache Iceberg, iceberg",
    ".hoodie/hoodie.properties, 2024/p.parquet, 2024/p.parquet, Apache Hudi, hudi",
    "y=2024/_delta_log/00000000000000000000.json, p.parquet, ., Delta Lake, delta"
  })
  void at_partOfATable_isRefused(
      String marker, String data, String given, String format, String reader) throws IOException {
    write("table/" + marker);
    write("table/" + data);
    assertThatThrownBy(() -> at(folder.resolve("table").resolve(given).normalize()))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("must not be part of a table that needs its own reader")
        .hasMessageContaining("got a folder of " + format)
        .hasMessageContaining("spark.read().format(\"" + reader + "\").load(...)");
  }

  /** The command refuses the folder before Spark reads a file: these are not Parquet files. */
  @Test
  void open_folderOfATable_isRefusedBeforeAnythingIsRead() throws IOException {
    write("table/_delta_log/00000000000000000000.json");
    write("table/part-0.parquet");
    Schema schema =
        Schema.ofJson(
            "schema",
            """
            {"columns": [{"name": "x", "kind": "numeric", "min": 0, "max": 1}],
             "label": {"column": "y", "values": ["no", "yes"], "positive": "yes"}}
            """);
    String table = folder.resolve("table").toString();
    Path plain = write("plain/part-0.csv");
    Files.writeString(plain, "x,y\n0,no\n1,yes\n");
    try (var session = Sparks.local()) {
      assertThat(session.sparkContext().isLocal()).isTrue();
      assertThatThrownBy(() -> new SparkTables().open(request(table, null, schema)))
          .isInstanceOf(TableException.class)
          .hasMessageStartingWith(table + " must not be part of a table");
      assertThatThrownBy(() -> new SparkTables().open(request(plain.toString(), table, schema)))
          .isInstanceOf(TableException.class)
          .hasMessageStartingWith(table + " must not be part of a table");
    }
  }

  private static TableEngine.Request request(String location, String test, Schema schema) {
    return new TableEngine.Request(
        location, CsvOptions.DEFAULT, schema, test, 0, 1, "local[2]", 0, null);
  }

  @Test
  void at_plainFiles_areListedInOrder() throws IOException {
    write("plain/b.parquet");
    write("plain/a.parquet");
    write("plain/_SUCCESS");
    write("plain/metadata/readme.json");
    assertThat(at(folder.resolve("plain"))).hasSize(2).first().asString().endsWith("/a.parquet");
    assertThatThrownBy(() -> at(folder.resolve("none"))).hasMessageContaining("must exist");
    Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> at(folder.resolve("empty"))).hasMessageContaining("an empty folder");
  }
}
