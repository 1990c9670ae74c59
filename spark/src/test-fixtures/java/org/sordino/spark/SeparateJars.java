package org.sordino.spark;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.apache.spark.SparkConf;
import org.sordino.table.DemoCensus;
import scala.Tuple2;

/**
 * Starts {@link JarsMain} with every module and library in a separate jar. Its executors have a
 * Spark distribution on their class path but nothing of Sordino, so everything they need must be
 * sent to them. (The setting spark.testing would give them the class path of the driver.)
 */
final class SeparateJars {

  private static final List<String> LIBRARIES =
      List.of("sordino-", "fastcsv-", "jackson-core-3", "commons-numbers-", "bytedeco");

  private final Path folder;

  SeparateJars(Path folder) {
    this.folder = folder;
  }

  /** Trains on two executors and returns the run directory. */
  Path train(String name, String architecture) throws Exception {
    Path run = folder.resolve(name);
    Path census = folder.resolve("census.csv");
    DemoCensus.write(census, JarsMain.PEOPLE);
    Path home = Files.createDirectories(folder.resolve("spark"));
    Path jars = Files.createDirectories(home.resolve("jars"));
    List<String> all = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.isEmpty()) {
        continue; // Surefire's class path ends in a separator
      }
      Path path = Path.of(entry);
      boolean classes = Files.isDirectory(path);
      Path link = jars.resolve(path.getFileName());
      if (!classes && LIBRARIES.stream().noneMatch(entry::contains) && !Files.exists(link)) {
        Files.createSymbolicLink(link, path);
      }
      all.add(classes && !entry.endsWith("test-classes") ? jar(all.size(), entry) : entry);
    }
    SparkConf settings = Sparks.cluster(2).remove("spark.executor.extraClassPath");
    List<String> command = Sparks.java();
    command.set(command.size() - 1, String.join(File.pathSeparator, all));
    for (Tuple2<String, String> setting : settings.getAll()) {
      if (!setting._1().equals("spark.master")) {
        command.add("-D" + setting._1() + "=" + setting._2());
      }
    }
    command.add(JarsMain.class.getName());
    command.addAll(List.of(census.toString(), settings.get("spark.master"), run.toString()));
    command.add(architecture);
    Path log = folder.resolve(name + ".log");
    ProcessBuilder driver = new ProcessBuilder(command);
    driver.environment().put("SPARK_HOME", home.toString());
    driver.environment().put("SORDINO_KEYS", folder.resolve("keys").toString());
    int code = driver.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
    if (code != 0) {
      throw new AssertionError("the driver ended with " + code + ": " + Files.readString(log));
    }
    return run;
  }

  private String jar(int number, String classes) {
    Path jar = folder.resolve("module-" + number + ".jar");
    ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
    int code =
        tool.run(System.out, System.err, "-c", "-f", jar.toString(), "-C", classes, ".");
    if (code != 0) {
      throw new AssertionError("could not create a jar of " + classes);
    }
    return jar.toString();
  }
}
