package org.sordino.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkExampleTest {

  @Test
  void main_census_printsEpsilonAndAccuracy(@TempDir Path folder) {
    PrintStream console = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    System.setProperty("spark.driver.host", "127.0.0.1"); // requires no name service
    try {
      SparkExample.main(new String[] {folder.resolve("people.csv").toString()});
    } finally {
      System.clearProperty("spark.driver.host");
      System.setOut(console);
    }

    String text = bytes.toString(StandardCharsets.UTF_8);
    assertThat(number("epsilon (\\S+) at delta 1e-05", text)).isBetween(0.99, 1.0);
    assertThat(number("accuracy (\\S+) \\(not private\\)", text)).isBetween(0.64, 0.7);
  }

  private static double number(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return Double.parseDouble(found.group(1));
  }
}
