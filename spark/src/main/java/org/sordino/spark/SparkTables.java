package org.sordino.spark;

import static org.apache.spark.sql.functions.col;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.sordino.table.IgnoredColumn;
import org.sordino.table.Schema;
import org.sordino.table.TableEngine;
import org.sordino.table.TableException;
import org.sordino.table.TableRecords;
import org.sordino.training.Examples;

/** Tables on Spark: Parquet or delimited files, in any file system that Spark supports. */
public final class SparkTables implements TableEngine {

  private static final String PARQUET = ".parquet";

  /**
   * Settings of a session that Sordino starts, unless the user has set them. The web UI is off.
   * Parameters hardly compress, so broadcasts are uncompressed, in few blocks, with no checksum
   * except that of TCP.
   */
  private static final Map<String, String> OURS =
      Map.of(
          "spark.ui.enabled",
          "false",
          "spark.broadcast.compress",
          "false",
          "spark.broadcast.checksum",
          "false",
          "spark.broadcast.blockSize",
          "16m");

  @Override
  public String name() {
    return "spark";
  }

  @Override
  public TableRecords open(Request request) {
    SparkSession session = session(request.master());
    SparkRecords.Loaded all = load(session, request.location(), request, request.userColumn());
    String location = request.test();
    Examples test = location == null ? null : load(session, location, request, null).examples();
    return request.userColumn() == null
        ? SparkRecords.of(all, request.holdout(), request.seed(), request.partitions(), test)
        : SparkUsers.of(all, request.holdout(), request.seed(), request.partitions(), test);
  }

  /** Returns the session of spark-submit, or starts one. It ends with the process. */
  private static SparkSession session(@Nullable String master) {
    SparkConf settings = new SparkConf();
    if (master == null && !settings.contains("spark.master")) {
      throw new TableException(
          "--master is missing; add it, for example --master local[2], or start with"
              + " spark-submit");
    }
    SparkSession.Builder builder = SparkSession.builder().appName("sordino");
    if (master != null) {
      builder.master(master).config("spark.jars", String.join(",", ExecutorJars.find()));
      OURS.forEach(
          (name, value) -> {
            if (!settings.contains(name)) {
              builder.config(name, value);
            }
          });
    }
    return builder.getOrCreate();
  }

  private static SparkRecords.Loaded load(
      SparkSession session, String location, Request request, @Nullable String userColumn) {
    List<String> files = PlainFiles.at(location, session.sparkContext().hadoopConfiguration());
    boolean parquet = files.stream().anyMatch(file -> file.endsWith(PARQUET));
    Schema schema = request.schema();
    JavaRDD<Encoded> parts =
        parquet
            ? rows(session, location, schema, userColumn)
            : texts(session, files, new CsvFiles(schema, request.csv(), userColumn));
    return SparkRecords.Loaded.of(parts);
  }

  /** Reads one part per file, in the order of their names. */
  private static JavaRDD<Encoded> texts(SparkSession session, List<String> files, CsvFiles reader) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    return context.parallelize(files, files.size()).mapPartitions(reader, true);
  }

  private static JavaRDD<Encoded> rows(
      SparkSession session, String location, Schema schema, @Nullable String userColumn) {
    // How files are split, and thus the order of the rows, must not depend on the cluster size.
    SparkSession own = session.newSession();
    own.conf().set("spark.sql.files.minPartitionNum", "1");
    Dataset<Row> table = own.read().parquet(location);
    List<String> present = Arrays.asList(table.columns());
    List<String> columns = new ArrayList<>();
    schema.columns().stream()
        .filter(column -> !(column instanceof IgnoredColumn))
        .forEach(column -> columns.add(column.name()));
    columns.add(schema.requireLabel().column());
    if (userColumn != null) {
      columns.add(userColumn);
    }
    for (String column : columns) {
      if (!present.contains(column)) {
        throw new TableException(
            "%s: column %s must be in the table, got %s; correct the schema"
                .formatted(location, column, present));
      }
    }
    if (userColumn != null) {
      Columns.requireName(table.schema(), userColumn);
    }
    Column[] texts =
        columns.stream()
            .map(name -> col("`" + name.replace("`", "``") + "`").cast("string"))
            .toArray(Column[]::new);
    return table
        .select(texts)
        .javaRDD()
        .mapPartitions(new TextRows(schema, location, columns, userColumn), true);
  }
}
