package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableSourceTest {

  private static final Schema SMALL = Tables.SMALL;

  record Row(Object x, String colour, String y) {}

  record Other(Object x, String colour, String y) {}

  record Failing(String x) {
    @Override
    public String x() {
      throw new IllegalStateException("secret");
    }
  }

  record Photo(double x, String colour, byte[] image, String y) {}

  record Nothing() {}

  @Test
  void labeled_anySource_givesTheSameBits() {
    List<People.Person> people = People.people(3000, 1);
    OwnedExamples expected = People.SCHEMA.labeled(People.csv(people), "id");

    for (TableSource source :
        List.of(
            TableSource.records(people),
            TableSource.rows(People.maps(people)),
            TableSource.arrays(People.COLUMNS, People.arrays(people)))) {
      assertThat(source.columns()).isEqualTo(People.COLUMNS);
      Tables.assertSame(People.SCHEMA.labeled(source, "id"), expected);
      Tables.assertSame(People.SCHEMA.labeled(source, "id"), expected); // in a second scan
      assertThat(People.SCHEMA.unlabeled(source).features())
          .isEqualTo(expected.examples().features());
    }
    assertThat(expected.users()).contains("9007199254740993", "9007199254740994");
  }

  /** Checks that the comparison above detects a change of one value in one row. */
  @Test
  void labeled_oneValueChanged_isDetected() {
    List<People.Person> people = People.people(300, 1);
    OwnedExamples expected = People.SCHEMA.labeled(People.csv(people), "id");
    for (int column : new int[] {0, 1, 2, 8, 12}) {
      List<Object[]> rows = new ArrayList<>(People.arrays(people));
      rows.get(150)[column] =
          switch (column) {
            case 0 -> 9_007_199_254_740_000L;
            case 8 -> "nurse".equals(people.get(150).job()) ? "cook" : "nurse";
            case 12 -> people.get(150).employed().equals("yes") ? "no" : "yes";
            default -> 17.0000001;
          };
      OwnedExamples changed = People.SCHEMA.labeled(TableSource.arrays(People.COLUMNS, rows), "id");
      assertThatThrownBy(() -> Tables.assertSame(changed, expected))
          .as("column %d", column)
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void draft_anySource_isTheSame() {
    List<People.Person> people = People.people(3000, 2);
    TableSource records = TableSource.records(people);
    Schema drafted = Schema.draft(records, "employed");

    assertThat(drafted.width()).isGreaterThan(30);
    assertThat(Schema.draft(TableSource.rows(People.maps(people)), "employed").toJson())
        .isEqualTo(drafted.toJson());
    // The file contains 1.0 and 8.0, which the other sources render as 1 and 8.
    String csv = drafted(People.csv(people)).replace("\"1.0\"", "\"1\"").replace("8.0", "8");
    assertThat(csv).isEqualTo(drafted.toJson());
  }

  private static String drafted(TableSource source) {
    return Schema.draft(source, "employed").toJson();
  }

  @Test
  void draft_numbersAmongTexts_areTexts() {
    List<Object[]> rows = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      rows.add(new Object[] {i % 3 == 0 ? "a" : i % 3 == 1 ? (Object) 2.5 : (Object) 7L, i % 2});
    }
    Schema schema = Schema.draft(TableSource.arrays(List.of("v", "y"), rows), "y");

    assertThat(schema.columns())
        .containsExactly(new CategoryColumn("v", List.of("a", "2.5", "7"), false));
  }

  @Test
  void csv_path_readsTheFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("a.csv"), "x,colour,y\n5,red,yes\n");

    assertThat(TableSource.csv(file).name()).isEqualTo(file.toString());
    assertThat(SMALL.labeled(TableSource.csv(file)).size()).isOne();
    assertThat(TableSource.csv(file, CsvOptions.DEFAULT.withoutHeader()).columns())
        .containsExactly("c1", "c2", "c3");
  }

  @Test
  void rows_columns_haveTheOrderOfTheFirstRowOrAreSorted() {
    Map<String, Object> linked = new LinkedHashMap<>();
    List.of("z", "b", "y", "a").forEach(key -> linked.put(key, 1));

    assertThat(TableSource.rows(List.of(linked)).columns()).containsExactly("z", "b", "y", "a");
    assertThat(TableSource.rows(List.of(new TreeMap<>(linked))).columns())
        .containsExactly("a", "b", "y", "z");
    assertThat(TableSource.rows(List.of(new HashMap<>(linked))).columns())
        .containsExactly("a", "b", "y", "z");
    assertThat(TableSource.rows(List.of(Map.of("z", 1, "b", 1, "y", 1, "a", 1))).columns())
        .containsExactly("a", "b", "y", "z");
  }

  @Test
  void rows_absentKey_isMissing() {
    List<Map<String, Object>> rows =
        List.of(Map.of("x", 1, "colour", "red", "y", "no"), Map.of("y", "yes"));

    assertThat(Tables.row(SMALL.labeled(TableSource.rows(rows)), 1))
        .containsExactly(0, 1, 0, 0, 0, 0, 1);
  }

  @Test
  void rows_unknownKey_isNamedWithoutItsValue() {
    List<Map<String, String>> rows =
        List.of(Map.of("x", "1", "y", "no"), Map.of("x", "2", "color", "secret", "y", "no"));

    assertRefused(
        TableSource.rows(rows),
        "table row 2: keys must also occur in the first row, got \"color\"; add all keys to"
            + " the first row, with null for missing values",
        new Schema(SMALL.columns().subList(0, 1), Schema.MISSING, null, false));
  }

  @Test
  void scan_badRows_areRefused() {
    assertRefused(
        TableSource.records(List.of()), "table: the table must have at least one record, got none");
    assertRefused(
        TableSource.rows(List.of()), "table: the table must have at least one record, got none");
    assertRefused(
        arrays(), "table: the table must have at least one record, got none; add records");
    assertRefused(
        TableSource.records(List.of(new Nothing())), "table: the table must have 1 to 20,000");
    assertRefused(arrays(new Object[] {1, "red"}), "table row 1: a row must have 3 values, got 2");
    assertRefused(
        arrays(new Object[] {1, "red", "no"}, null), "table row 2: a row must not be null");
    assertRefused(
        TableSource.records(List.of(new Row(1, "red", "no"), new Other(1, "red", "no"))),
        "table row 2: a row must have the class of the first row");
    assertRefused(
        TableSource.records(List.of(new Failing("secret"))),
        "table row 1: column \"x\" must be readable, but its accessor threw an exception;"
            + " correct the accessor",
        new Schema(SMALL.columns().subList(0, 1), Schema.MISSING, null, false));
  }

  @Test
  void scan_badNames_areRefused() {
    List<Object[]> rows = List.of(new Object[] {1, "red", "no"}, new Object[] {2, "red", "yes"});
    assertRefused(
        TableSource.arrays(List.of("x", "y", "x"), rows),
        "table: column names must be unique, got \"x\" twice; rename one");
    assertRefused(
        TableSource.arrays(List.of("x", "y", "z".repeat(1001)), rows),
        "table: the name of column 3 must have at most 1,000 characters, got 1,001; shorten it");
    assertRefused(
        TableSource.arrays(Collections.nCopies(20_001, "x"), rows),
        "table: the table must have 1 to 20,000 columns, got 20,001");
    assertRefused(
        TableSource.arrays(List.of("x", "color", "y"), rows),
        "table: column \"colour\" must be in the table, got columns \"x\", \"color\", \"y\"; did");
    assertThat(TableSource.arrays(List.of("x", "", "y"), rows).columns())
        .containsExactly("x", "c2", "y");
  }

  @Test
  void scan_badValues_areRefusedWithoutPrintingThem() {
    assertRefused(
        arrays(new Object[] {"secret", "red", "no"}),
        "table row 1: column \"x\" must be a number, got a different value (not shown); ");
    assertRefused(
        arrays(new Object[] {Double.POSITIVE_INFINITY, "red", "no"}),
        "column \"x\" must be a number, got a different value (not shown); ");
    assertRefused(
        arrays(new Object[] {1, "red", "no"}, new Object[] {2, "red", "secret"}),
        "table row 2: column \"y\" (the label) must be one of \"no\", \"yes\", got a different"
            + " value (not shown); ");
    assertRefused(
        arrays(new Object[] {1, "red", null}),
        "must be one of \"no\", \"yes\", got a missing value");
    assertRefused(
        arrays(new Object[] {1, new byte[] {115, 101}, "no"}),
        "table row 1: column \"colour\" must be a string, a number, a boolean or a date, got the"
            + " type byte[]; ");
    assertRefused(
        arrays(new Object[] {1, List.of("secret"), "no"}), "got the type java.util.ImmutableColl");
    assertRefused(
        arrays(new Object[] {1, "secret".repeat(200_000), "no"}),
        "column \"colour\" must have at most 1,048,576 characters, got more; ");
  }

  @Test
  void scan_valueWithoutText_isRefusedOnlyIfItsColumnIsUsed() {
    TableSource photos = TableSource.records(List.of(new Photo(5, "red", new byte[] {1}, "yes")));

    assertThat(Tables.row(SMALL.labeled(photos), 0)).containsExactly(0, 0, 1, 0, 0, 0, 0);
    assertThatThrownBy(() -> Schema.draft(photos, "y"))
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith("table row 1: column \"image\" must be a string");
    assertThatThrownBy(() -> SMALL.labeled(photos, "image"))
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith("table row 1: column \"image\" must be a string");
  }

  @Test
  void rowEncoder_spaces_areThoseOfAFile() {
    RowEncoder encoder = RowEncoder.of(SMALL, "part", List.of("x", "colour", "y"), null);
    encoder.add(new String[] {" 5\t", "red\r\n", "yes"});
    encoder.add(new String[] {null, "\u2003red", "no"}); // an em space is part of the text

    float[] features = encoder.examples().examples().features();
    assertThat(Arrays.copyOf(features, 7)).containsExactly(0, 0, 1, 0, 0, 0, 0);
    assertThat(Arrays.copyOfRange(features, 7, 14)).containsExactly(0, 1, 0, 0, 0, 1, 0);
    String csv = "x,colour,y\n 5\t,red,yes\n,\u2003red,no\n";
    assertThat(SMALL.labeled(Tables.csv(csv)).features()).isEqualTo(features);
  }

  @Test
  void ignoring_otherCase_leavesTheColumnOut() {
    Schema schema = SMALL.ignoring("X", "the user");

    assertThat(schema.columns().get(0)).isEqualTo(new IgnoredColumn("x", "the user"));
    assertThat(schema.width()).isEqualTo(5);
    assertThatThrownBy(() -> SMALL.ignoring("Y", "the user")).isInstanceOf(TableException.class);
  }

  private static TableSource arrays(Object[]... rows) {
    return TableSource.arrays(List.of("x", "colour", "y"), Arrays.asList(rows));
  }

  private static void assertRefused(TableSource source, String message) {
    assertRefused(source, message, SMALL);
  }

  private static void assertRefused(TableSource source, String message, Schema schema) {
    assertThatThrownBy(
            () -> {
              if (schema.label() == null) {
                schema.unlabeled(source);
              } else {
                schema.labeled(source);
              }
            })
        .isInstanceOf(TableException.class)
        .hasNoCause()
        .message()
        .contains(message)
        .doesNotContain("secret", "--", "\n");
  }
}
