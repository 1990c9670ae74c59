package org.sordino.table;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table with values of many types and missing values, in the form of every source. */
final class People {

  static final List<String> COLUMNS =
      List.of(
          "id",
          "age",
          "score",
          "ratio",
          "price",
          "income",
          "code",
          "level",
          "job",
          "member",
          "since",
          "seen",
          "employed");

  static final Schema SCHEMA =
      new Schema(
          List.of(
              numeric("age", 0, 100, NumericColumn.Scale.LINEAR, List.of(20.0, 40.0, 60.0)),
              numeric("score", -1e4, 1e6, NumericColumn.Scale.LINEAR, List.of(-1.0, 0.5)),
              numeric("ratio", -2, 2, NumericColumn.Scale.LINEAR, List.of()),
              numeric("price", 0, 1000, NumericColumn.Scale.LOG, List.of()),
              numeric("income", 0, 1e12, NumericColumn.Scale.LOG, List.of(1e4, 1e8)),
              new CategoryColumn("code", List.of("1", "2", "30"), true),
              new CategoryColumn("level", List.of("1", "2.5", "0.125"), true),
              new CategoryColumn("job", List.of("nurse", "K\u00f6chin", "a, \"b\""), true),
              new CategoryColumn("member", List.of("false", "true"), true),
              new CategoryColumn("since", List.of("2020-02-29", "1999-12-31"), true),
              new CategoryColumn("seen", List.of("2024-05-01T10:00:00", "x"), true)),
          Schema.MISSING,
          Label.ofClasses("employed", List.of("no", "yes"), "yes"),
          false);

  private static final int GAP = 9; // one in this many values is missing

  private People() {}

  /** A row. */
  record Person(
      long id,
      Integer age,
      Double score,
      Float ratio,
      BigDecimal price,
      Long income,
      Integer code,
      Double level,
      String job,
      Boolean member,
      LocalDate since,
      LocalDateTime seen,
      String employed) {

    Object[] values() {
      return new Object[] {
        id, age, score, ratio, price, income, code, level, job, member, since, seen, employed
      };
    }
  }

  static List<Person> people(int count, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return Stream.generate(() -> person(random)).limit(count).toList();
  }

  private static Person person(SplittableRandom random) {
    return new Person(
        9_007_199_254_740_993L + random.nextInt(50), // not exact as a double
        gap(random, random.nextInt(120)),
        gap(random, (random.nextDouble() - 0.3) * Math.pow(10, random.nextInt(-8, 9))),
        gap(random, (float) (random.nextDouble(4) - 2)),
        gap(random, BigDecimal.valueOf(random.nextInt(100_000), 2)),
        gap(random, random.nextLong(1L << random.nextInt(1, 62))),
        gap(random, new int[] {1, 2, 30, 7}[random.nextInt(4)]),
        gap(random, new double[] {1, 2.5, 0.125, 8}[random.nextInt(4)]),
        gap(random, List.of("nurse", " K\u00f6chin\t", "a, \"b\"", "cook", "").get(one(random, 5))),
        gap(random, random.nextInt(2) == 0),
        gap(random, LocalDate.parse(random.nextInt(2) == 0 ? "2020-02-29" : "1999-12-31")),
        gap(random, LocalDateTime.of(2024, 5, 1, 10, 0, random.nextInt(2))),
        random.nextInt(2) == 0 ? "yes" : "no");
  }

  private static int one(SplittableRandom random, int of) {
    return random.nextInt(of);
  }

  private static <T> T gap(SplittableRandom random, T value) {
    return random.nextInt(GAP) == 0 ? null : value;
  }

  static List<Object[]> arrays(List<Person> people) {
    return people.stream().map(Person::values).toList();
  }

  static List<Map<String, Object>> maps(List<Person> people) {
    List<Map<String, Object>> maps = new ArrayList<>();
    for (Person person : people) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (int i = 0; i < COLUMNS.size(); i++) {
        Object value = person.values()[i];
        if (value != null || maps.isEmpty()) { // later rows leave missing values out
          map.put(COLUMNS.get(i), value);
        }
      }
      maps.add(map);
    }
    return maps;
  }

  /** Returns the table as CSV, written independently of the rules of this package. */
  static CsvSource csv(List<Person> people) {
    Stream<String> rows =
        people.stream()
            .map(person -> Stream.of(person.values()).map(People::field))
            .map(fields -> fields.collect(Collectors.joining(",")));
    return Tables.csv(
        String.join(",", COLUMNS) + "\n" + rows.collect(Collectors.joining("\n")) + "\n");
  }

  private static String field(Object value) {
    if (value == null) {
      return "";
    }
    if (value instanceof LocalDateTime time) {
      return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
    }
    return value instanceof String text ? '"' + text.replace("\"", "\"\"") + '"' : value.toString();
  }

  private static Column numeric(
      String name, double min, double max, NumericColumn.Scale scale, List<Double> knots) {
    return new NumericColumn(name, min, max, scale, knots, true);
  }
}
