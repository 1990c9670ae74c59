package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableFormatsTest {

  @TempDir private Path folder;

  private Path write(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "deleted rows");
  }

  @ParameterizedTest
  @CsvSource({
    "_delta_log/00000000000000000000.json, part-0.parquet, Delta Lake, delta",
    "_delta_log/00000000000000000000.json, year=2024/month=1/part-0.parquet, Delta Lake, delta",
    "metadata/v1.metadata.json, data/part-0.parquet, Apache Iceberg, iceberg",
    "metadata/00001-a.metadata.json.gz, data/a=1/part-0.parquet, Apache Iceberg, iceberg",
    ".hoodie/hoodie.properties, 2024/part-0.parquet, Apache Hudi, hudi"
  })
  void parquet_fileOfATable_isRefusedBeforeAnythingIsRead(
      String marker, String data, String format, String reader) throws IOException {
    write("table/" + marker);
    Path file = write("table/" + data);
    for (Path location : new Path[] {file, file.getParent(), folder.resolve("table")}) {
      assertThatThrownBy(() -> TableSource.parquet(location))
          .isInstanceOf(TableException.class)
          .hasMessageContaining(location + " must not be part of a table that needs its own reader")
          .hasMessageContaining("got a folder of " + format)
          .hasMessageContaining("spark.read().format(\"" + reader + "\").load(...)");
    }
  }

  /** A path without the ending .parquet is taken for a CSV file. */
  @Test
  void csv_folderOfATable_isRefusedWithTheWayOut() throws IOException {
    write("people/_delta_log/00000000000000000000.json");
    assertThatThrownBy(() -> TableSource.csv(folder.resolve("people")).columns())
        .isInstanceOf(TableException.class)
        .hasMessageContaining("got a folder of Delta Lake");
  }

  @Test
  void parquet_linkIntoATable_isRefused() throws IOException {
    write("table/_delta_log/00000000000000000000.json");
    Path link =
        Files.createSymbolicLink(folder.resolve("link.parquet"), write("table/part-0.parquet"));
    assertThatThrownBy(() -> TableSource.parquet(link))
        .hasMessageContaining("got a folder of Delta Lake");
  }

  @Test
  void refuse_otherFolders_areAccepted() throws IOException {
    write("metadata/readme.json");
    write("table/_delta_log/00000000000000000000.json");
    Path file = write("plain/part-0.parquet");
    assertThat(Files.exists(write("plain/_delta_log"))).isTrue(); // a file, not a folder
    assertThatCode(() -> TableFormats.refuse(file)).doesNotThrowAnyException();
    assertThatCode(() -> TableFormats.refuse(folder)).doesNotThrowAnyException();
    assertThatCode(() -> TableFormats.refuse(folder.resolve("none.parquet")))
        .doesNotThrowAnyException();
  }
}
