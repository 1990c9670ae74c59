package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Examples;

class SchemaDraftTest {

  private static final SplittableRandom RANDOM = new SplittableRandom(3);

  static Stream<Arguments> columns() {
    return Stream.of(
        column("yes and no", i -> i % 3 == 0 ? "1" : "0", category("0", "1")),
        column("mostly one", i -> i % 9 == 0 ? "0" : "1", category("1", "0")),
        column("codes", i -> "" + (i % 7 * (i % 7)), null),
        column("ages", i -> "" + (18 + i % 71), numeric(18, 88, NumericColumn.Scale.LINEAR)),
        column("row number", i -> "" + (i + 1000), new IgnoredColumn("v", "a number of the row")),
        column("one value", i -> "13", new IgnoredColumn("v", "one value only")),
        column("only gaps", i -> "NA", new IgnoredColumn("v", "one value only")),
        column(
            "names", i -> "person " + i, new IgnoredColumn("v", "text with many different values")),
        column(
            "fractions",
            i -> String.format(Locale.ROOT, "%.3f", i % 977 / 977.0),
            numeric(0, 1, NumericColumn.Scale.LINEAR)),
        column("few fractions", i -> i % 5 + ".5", numeric(0.5, 4.5, NumericColumn.Scale.LINEAR)),
        column(
            "gains",
            i -> i % 10 == 0 ? "" + i * 37 : "0",
            numeric(0, 37_000, NumericColumn.Scale.LOG)),
        column("text and gaps", i -> i % 4 == 0 ? "?" : "abc".charAt(i % 3) + "", null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("columns")
  void draft_column_hasTheKind(String name, IntFunction<String> value, Column expected) {
    Column column = draft(1000, value).columns().get(0);

    if (expected != null) {
      assertThat(column).isEqualTo(expected);
    } else {
      assertThat(column).isInstanceOf(CategoryColumn.class);
    }
  }

  @Test
  void draft_gaps_areDeclared() {
    Schema schema = draft(1000, i -> i % 50 == 0 ? "NA" : "" + i * 7 % 501);

    assertThat(schema.columns().get(0))
        .isInstanceOfSatisfying(
            NumericColumn.class, column -> assertThat(column.missing()).isTrue());
  }

  @Test
  void draft_farOutlier_doesNotSetTheBound() {
    Schema schema = draft(5000, i -> i == 77 ? "-1000000" : "" + (400 + i % 200));
    NumericColumn column = (NumericColumn) schema.columns().get(0);

    assertThat(column.min()).isBetween(340.0, 400.0);
    assertThat(column.max()).isEqualTo(600);
  }

  @Test
  void draft_rareValue_isLeftToOther() {
    Schema schema =
        draft(5000, i -> i == 77 ? "secret" : i % 2 == 0 ? "a" : i % 3 == 0 ? "b" : "c");

    assertThat(schema.toJson()).doesNotContain("secret");
    assertThat(schema.featureNames()).contains("v other");
  }

  @Test
  void draft_manyRecords_numbersHaveRoundKnots() {
    NumericColumn column = (NumericColumn) draft(5000, i -> "" + i * 7 % 1001).columns().get(0);

    assertThat(column.knots()).hasSize(4);
    assertThat(column.knots().get(1)).isBetween(370.0, 430.0);
    assertThat(column.knots()).allMatch(knot -> knot % 10 == 0);
  }

  @Test
  void draft_manyColumns_haveNoKnots() {
    assertThat(Schema.draft(wholeNumbers(12, 1000), "y").width()).isEqualTo(12);
  }

  @Test
  void draft_manyColumnsOfFewWholeNumbers_areNumbersNotCodes() {
    assertThat(Schema.draft(wholeNumbers(10, 17), "y").columns())
        .allMatch(CategoryColumn.class::isInstance);
    assertThat(Schema.draft(wholeNumbers(11, 17), "y").columns())
        .allMatch(NumericColumn.class::isInstance);
    assertThat(Schema.draft(wholeNumbers(11, 5), "y").columns())
        .allMatch(CategoryColumn.class::isInstance);
  }

  @Test
  void draft_manyWords_areACategoryIfTheyRepeatOften() {
    assertThat(draft(5000, i -> "city " + i % 100).columns().get(0))
        .isInstanceOf(CategoryColumn.class);
    assertThat(draft(1000, i -> "city " + i % 50).columns().get(0))
        .isInstanceOf(CategoryColumn.class);
    Schema seldom = Schema.draft(Tables.csv(seldomWords()), "y");
    assertThat(seldom.columns().get(0)).isInstanceOf(IgnoredColumn.class);
  }

  /** Returns a table with 100 words of ten records each, and a numeric column. */
  private static String seldomWords() {
    StringBuilder text = new StringBuilder("city,x,y\n");
    for (int i = 0; i < 1000; i++) {
      text.append("city ").append(i % 100).append(',').append(i * 7 % 501).append(',');
      text.append(i % 2).append('\n');
    }
    return text.toString();
  }

  private static CsvSource wholeNumbers(int columns, int values) {
    StringBuilder text = new StringBuilder();
    for (int j = 0; j < columns; j++) {
      text.append("x").append(j).append(',');
    }
    text.append("y\n");
    for (int i = 0; i < 3000; i++) {
      for (int j = 0; j < columns; j++) {
        text.append(RANDOM.nextInt(values)).append(',');
      }
      text.append(i % 2).append('\n');
    }
    return Tables.csv(text.toString());
  }

  @Test
  void draft_census_readsWithMissingValues() {
    // As in the California file of the Harvard course CS208: values 0 and 1, and one NA.
    String text =
        "sex,married,black,employed,uscitizen\n1,1,0,1,1\n1,0,1,0,NA\n0,1,0,1,1\n0,0,1,1,0\n";
    Schema schema = Schema.draft(Tables.csv(text), "employed");
    Examples examples = schema.labeled(Tables.csv(text));

    assertThat(schema.drafted()).isTrue();
    assertThat(schema.featureNames())
        .containsExactly("sex=0", "married=0", "black=1", "uscitizen=0", "uscitizen missing");
    assertThat(Tables.row(examples, 1)).containsExactly(0, 1, 1, 0, 1);
    assertThat(examples.targets()).containsExactly(1, 0, 1, 1);
    assertThat(Schema.ofJson("s", schema.toJson()).columns()).isEqualTo(schema.columns());
  }

  @Test
  void draft_label_isInferred() {
    assertThat(labelOf(i -> i % 2 == 0 ? ">50K" : "<=50K").classes())
        .containsExactly("<=50K", ">50K");
    assertThat(labelOf(i -> i % 2 == 0 ? "yes" : "no").positive()).isEqualTo("yes");
    assertThat(labelOf(i -> "" + i % 12).classes()).hasSize(12).endsWith("10", "11");
    assertThat(labelOf(i -> "" + i % 300).isNumber()).isTrue();
    assertThat(labelOf(i -> i % 5 + ".25").isNumber()).isTrue();
  }

  @Test
  void draft_withoutLabel_hasNoLabel() {
    assertThat(Schema.draft(Tables.csv("a,b\n1,0\n2,1\n4,0\n"), null).label()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "employd -> label must be one of the columns \"a\", \"employed\", \"one\", \"gap\", \"name\","
            + " got \"employd\"; did you mean \"employed\"?",
        "one -> label \"one\" must have at least two classes, got only one value",
        "gap -> label \"gap\" must have no missing values",
        "name -> label \"name\" must have at most 50 classes",
      })
  void draft_badLabel_namesTheFix(String mistake) {
    StringBuilder text = new StringBuilder("a,employed,one,gap,name\n");
    for (int i = 0; i < 200; i++) {
      text.append(i % 9).append(',').append(i % 2).append(",1,").append(i == 9 ? "NA" : i % 2);
      text.append(",p").append(i).append('\n');
    }
    String[] parts = mistake.split(" -> ", 2);

    assertThatThrownBy(() -> Schema.draft(Tables.csv(text.toString()), parts[0]))
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith("t.csv: " + parts[1]);
  }

  @Test
  void draft_noFeatures_isRefused() {
    assertThatThrownBy(() -> Schema.draft(Tables.csv("y\n1\n0\n"), "y"))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("t.csv: columns must include at least one that is not ignored");
  }

  private static Label labelOf(IntFunction<String> value) {
    StringBuilder text = new StringBuilder("x,y\n");
    for (int i = 0; i < 900; i++) {
      text.append(i % 2).append(',').append(value.apply(i)).append('\n');
    }
    return Schema.draft(Tables.csv(text.toString()), "y").requireLabel();
  }

  /** Drafts a schema for a column v, next to a column that is always valid. */
  private static Schema draft(int rows, IntFunction<String> value) {
    StringBuilder text = new StringBuilder("v,good\n");
    for (int i = 0; i < rows; i++) {
      text.append(value.apply(i)).append(',').append(i % 2).append('\n');
    }
    return Schema.draft(Tables.csv(text.toString()), null);
  }

  private static Arguments column(String name, IntFunction<String> value, Column expected) {
    return Arguments.of(name, value, expected);
  }

  private static Column category(String... values) {
    return new CategoryColumn("v", List.of(values), false);
  }

  private static Column numeric(double min, double max, NumericColumn.Scale scale) {
    return new NumericColumn("v", min, max, scale, List.of(), false);
  }
}
