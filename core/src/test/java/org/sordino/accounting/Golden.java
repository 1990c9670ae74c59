package org.sordino.accounting;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.sordino.PrivacyEvent;

/**
 * A row of golden-epsilon.csv.
 *
 * @param id unique ID, such as E01
 * @param quantity name of the quantity
 * @param parameters parameters by name; fractions such as 256/60000 are evaluated
 * @param value the reference value, rounded to double
 */
record Golden(String id, String quantity, Map<String, Double> parameters, double value) {

  /** Returns the rows whose ID starts with this prefix, such as "E" or "G0". */
  static List<Golden> rows(String idPrefix) {
    return lines("golden-epsilon.csv")
        .skip(1) // the header
        .filter(line -> line.startsWith(idPrefix))
        .map(Golden::parse)
        .toList();
  }

  /** Returns the row with this ID. */
  static Golden row(String id) {
    return rows(id).stream().filter(row -> row.id.equals(id)).findFirst().orElseThrow();
  }

  /**
   * Returns the rows of figure2.csv: E, T, naive formula, strong as printed, strong valid, moments,
   * RDP with integer orders, exact REMOVE, exact ADD.
   */
  static List<double[]> figure2() {
    return lines("figure2.csv")
        .skip(1)
        .map(line -> Arrays.stream(line.split(",", -1)).mapToDouble(Double::parseDouble).toArray())
        .toList();
  }

  double parameter(String name) {
    Double parameter = parameters.get(name);
    if (parameter == null) {
      throw new IllegalArgumentException(id + " has no parameter " + name);
    }
    return parameter;
  }

  /** Returns the steps described by the parameters q, sigma and T (or E, or one step). */
  PrivacyEvent event() {
    double q = parameter("q");
    double steps =
        parameters.containsKey("E") ? parameter("E") / q : parameters.getOrDefault("T", 1.0);
    return new PrivacyEvent.SampledGaussian(q, parameter("sigma")).times(Math.round(steps));
  }

  @Override
  public String toString() {
    return id + " " + quantity + " " + parameters;
  }

  private static Golden parse(String line) {
    String[] fields = line.split(",", 5);
    Map<String, Double> parameters = new HashMap<>();
    for (String parameter : fields[2].split(";", -1)) {
      String[] pair = parameter.split("=", -1);
      if (pair.length == 2) {
        parameters.put(pair[0], number(pair[1]));
      }
    }
    return new Golden(fields[0], fields[1], parameters, number(fields[3]));
  }

  private static double number(String text) {
    String[] fraction = text.split("/", -1);
    double number = Double.parseDouble(fraction[0]);
    return fraction.length == 1 ? number : number / Double.parseDouble(fraction[1]);
  }

  /** Returns the lines of a CSV resource of this package, header first, without comments. */
  static Stream<String> lines(String resource) {
    try (InputStream in = Golden.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("test resource " + resource + " is missing");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("#"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
