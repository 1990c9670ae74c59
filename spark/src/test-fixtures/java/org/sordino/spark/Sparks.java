package org.sordino.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Spark sessions for tests, in this process or with executors in separate processes. */
final class Sparks {

  /** The JVM options that Spark 3.5 requires on Java 17. */
  static final String OPENS =
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
          + " --add-opens=java.base/java.nio=ALL-UNNAMED"
          + " --add-opens=java.base/java.util=ALL-UNNAMED"
          + " --add-opens=java.base/java.lang=ALL-UNNAMED"
          + " --add-opens=java.base/java.lang.invoke=ALL-UNNAMED";

  private Sparks() {}

  /** Returns a session with two threads in this process. */
  static SparkSession local() {
    return SparkSession.builder().config(quiet("local[2]")).getOrCreate();
  }

  /**
   * Returns settings for executors in separate processes that use only the class path of the tests.
   */
  static SparkConf cluster(int executors) {
    org.apache.spark.util.Utils.setCustomHostname("127.0.0.1"); // avoids a name lookup
    System.setProperty("spark.testing", "1");
    System.setProperty("spark.test.home", temporary().toString());
    String version = scala.util.Properties.versionNumberString();
    return quiet("local-cluster[" + executors + ",1,768]")
        .set("spark.executor.memory", "512m")
        .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .set(
            "spark.executorEnv.SPARK_SCALA_VERSION", version.substring(0, version.lastIndexOf('.')))
        .set("spark.executor.extraJavaOptions", OPENS);
  }

  /** Returns the beginning of a command line for a JVM like this one. */
  static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of(OPENS.split(" ")));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return command;
  }

  static SparkSession start(SparkConf settings) {
    return SparkSession.builder().config(settings).getOrCreate();
  }

  private static SparkConf quiet(String master) {
    return new SparkConf(false)
        .setMaster(master)
        .setAppName("sordino-test")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.sql.shuffle.partitions", "2")
        .set("spark.sql.warehouse.dir", temporary().toString());
  }

  private static Path temporary() {
    try {
      Path folder = Files.createTempDirectory("sordino-spark");
      folder.toFile().deleteOnExit();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
