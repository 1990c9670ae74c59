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
 * Reads files with delimiters in the executors, each as a whole, with the reader of one machine: a
 * quoted field may hold a line break, and gzip has no middle to begin in. So many files are read at
 * once, and one is not; {@link EvenPartitions} evens the records out afterwards.
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
