package org.sordino.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvOptions;
import org.sordino.table.CsvSource;
import org.sordino.table.Schema;

/**
 * Reads delimited files in the executors with the same reader as on one machine. Each file is read
 * as a whole, because a quoted field may contain a line break and gzip cannot be read from the
 * middle. Several files are therefore read in parallel, but a single one is not; {@link
 * EvenPartitions} balances the records afterwards.
 */
final class CsvFiles implements FlatMapFunction<Iterator<String>, Encoded> {

  private static final long serialVersionUID = 1;

  private final String schema;
  private final boolean header;
  private final String delimiter;
  private final @Nullable String userColumn;

  CsvFiles(Schema schema, CsvOptions csv, @Nullable String userColumn) {
    this.schema = schema.toJson();
    this.header = csv.header();
    Character given = csv.delimiter();
    this.delimiter = given == null ? "" : given.toString();
    this.userColumn = userColumn;
  }

  @Override
  public Iterator<Encoded> call(Iterator<String> files) {
    Schema columns = Schema.ofJson("schema", schema);
    CsvOptions csv = new CsvOptions(header, delimiter.isEmpty() ? null : delimiter.charAt(0));
    List<Encoded> all = new ArrayList<>();
    files.forEachRemaining(
        file ->
            Encoded.of(columns.width(), () -> columns.labeled(source(file, csv), userColumn))
                .forEachRemaining(all::add));
    return all.iterator();
  }

  private static CsvSource source(String file, CsvOptions csv) {
    Path path = new Path(file);
    return CsvSource.of(
        file, () -> path.getFileSystem(SparkHadoopUtil.get().conf()).open(path), csv);
  }
}
