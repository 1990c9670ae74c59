package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the code in docs/tutorials/spark.md works. */
class SparkPageTest {

  @TempDir Path folder;

  private static String code(String language) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "tutorials", "spark.md"));
    Matcher block = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void java_compiles() throws IOException {
    Path source = folder.resolve("Page.java");
    Files.writeString(
        source,
        """
        import org.apache.spark.sql.*;
        import org.sordino.spark.*;

        class Page {
          static double cost(Dataset<Row> table) {
            %s
            return cost;
          }
        }
        """
            .formatted(code("java")));
    String classes = System.getProperty("java.class.path");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classes, "-d", folder.toString(), source.toString());
    assertThat(failed).isZero();
  }

  @Test
  @Tag("slow") // the shell compiles every line
  void scala_typedIntoTheShell_fitsAndPredicts() throws Exception {
    Path script = folder.resolve("page.scala");
    Files.writeString(
        script,
        """
        val table = spark.range(0, 4000, 1, 2).selectExpr(
          "mod(id, 7) / 3.5 - 1 as age", "mod(id, 11) / 5.5 - 1 as hours",
          "double(mod(id, 7) / 3.5 + mod(id, 11) / 5.5 > 2) as label")
        %s
        println("cost " + cost)
        println("right " + predicted.filter($"prediction" === $"label").count())
        :quit
        """
            .formatted(code("scala")));
    Path out = folder.resolve("out");
    List<String> command = Sparks.java();
    command.add("-Dscala.usejavacp=true");
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--master", "local[2]", "--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.driver.host=127.0.0.1"));
    command.addAll(List.of("--class", "org.apache.spark.repl.Main", "spark-shell"));
    command.addAll(List.of("-I", script.toString()));
    Process shell =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    shell.getOutputStream().close(); // no further input
    shell.waitFor();
    String output = Files.readString(out);
    assertThat(number("cost (0\\.99\\d*|1\\.0)\n", output)).isBetween(0.99, 1.0);
    assertThat(number("right (\\d+)\n", output)).isGreaterThan(3600);
  }

  private static double number(String pattern, String output) {
    Matcher found = Pattern.compile(pattern).matcher(output);
    assertThat(found.find()).as(output).isTrue();
    return Double.parseDouble(found.group(1));
  }
}
