package org.sordino.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A synthetic census for demonstrations. It has ten yes-or-no columns, and {@code employed} is the
 * label. The shares and the dependencies between the columns resemble those of a county in the US
 * Census of 2000. About 62.8% of the people are employed. The best possible classifier, which is
 * linear, has an accuracy of about two thirds.
 *
 * <p>The seed is fixed and public, so the data set is the same everywhere.
 */
public final class DemoCensus {

  /** The label column. */
  public static final String LABEL = "employed";

  /** The number of people in a demonstration. */
  public static final int PEOPLE = 20_000;

  private static final List<String> COLUMNS =
      List.of(
          "sex",
          "married",
          "black",
          "asian",
          "collegedegree",
          LABEL,
          "militaryservice",
          "uscitizen",
          "disability",
          "englishability");
  private static final long SEED = 2000;

  private DemoCensus() {}

  /** Returns the census as CSV with a header. */
  public static String csv(int people) {
    SplittableRandom random = new SplittableRandom(SEED);
    StringBuilder text = new StringBuilder(String.join(",", COLUMNS)).append('\n');
    for (int i = 0; i < people; i++) {
      person(random, text);
    }
    return text.toString();
  }

  /** Returns a source that reads the census from memory. */
  public static CsvSource source(int people) {
    byte[] content = csv(people).getBytes(StandardCharsets.UTF_8);
    return CsvSource.of("demo census", content, CsvOptions.DEFAULT);
  }

  /** Writes the census to a CSV file. */
  public static void write(Path file, int people) {
    try {
      Files.writeString(file, csv(people));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the schema. It is known without reading the data: all values are 0 or 1. */
  public static Schema schema() {
    List<Column> columns =
        COLUMNS.stream().filter(name -> !name.equals(LABEL)).map(DemoCensus::yesOrNo).toList();
    Label label = Label.ofClasses(LABEL, List.of("0", "1"), "1");
    return new Schema(columns, Schema.MISSING, label, false);
  }

  private static Column yesOrNo(String name) {
    boolean mostlyYes = name.equals("uscitizen") || name.equals("englishability");
    List<String> values = mostlyYes ? List.of("1", "0") : List.of("0", "1");
    return new CategoryColumn(name, values, false);
  }

  private static void person(SplittableRandom random, StringBuilder text) {
    int female = bernoulli(random, 0.527);
    int black = bernoulli(random, female == 1 ? 0.46 : 0.38);
    int asian = bernoulli(random, black == 1 ? 0.001 : 0.055);
    int citizen = bernoulli(random, asian == 1 ? 0.53 : black == 1 ? 0.977 : 0.91);
    int english = bernoulli(random, citizen == 1 ? 0.99 : 0.62);
    int married = bernoulli(random, (black == 1 ? 0.35 : 0.57) - (female == 1 ? 0.05 : 0));
    int degree = bernoulli(random, black == 1 ? 0.17 : 0.53);
    int military = bernoulli(random, citizen == 0 ? 0.02 : female == 1 ? 0.04 : 0.25);
    int disability = bernoulli(random, (degree == 1 ? 0.10 : 0.23) + (black == 1 ? 0.08 : 0));
    double logit =
        1.21
            - 0.65 * female
            - 0.21 * married
            - 0.09 * black
            - 0.50 * asian
            + 1.09 * degree
            - 0.33 * military
            - 0.39 * citizen
            - 0.87 * disability
            + 0.06 * english;
    int employed = bernoulli(random, 1 / (1 + Math.exp(-logit)));
    int[] answers = {
      female, married, black, asian, degree, employed, military, citizen, disability, english
    };
    for (int i = 0; i < answers.length; i++) {
      text.append(answers[i]).append(i + 1 < answers.length ? ',' : '\n');
    }
  }

  private static int bernoulli(SplittableRandom random, double probability) {
    return random.nextDouble() < probability ? 1 : 0;
  }
}
