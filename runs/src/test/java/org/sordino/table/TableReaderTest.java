package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Examples;

class TableReaderTest {

  private static final String PLAIN = "x,colour,y\n5,red,yes\n10,blue,no\n";

  static Stream<Arguments> layouts() {
    return Stream.of(
        Arguments.of("plain", PLAIN),
        Arguments.of("no newline at the end", PLAIN.stripTrailing()),
        Arguments.of("CRLF", PLAIN.replace("\n", "\r\n")),
        Arguments.of("CR", PLAIN.replace("\n", "\r")),
        Arguments.of("byte order mark", "\uFEFF" + PLAIN),
        Arguments.of("semicolons", PLAIN.replace(',', ';')),
        Arguments.of("tabs", PLAIN.replace(',', '\t')),
        Arguments.of("bars", PLAIN.replace(',', '|')),
        Arguments.of("quotes", PLAIN.replaceAll("(\\w+)", "\"$1\"")),
        Arguments.of("spaces after commas", PLAIN.replace(",", ", ")),
        Arguments.of("spaces before quotes", PLAIN.replaceAll(",(\\w+)", ", \"$1\" ")),
        Arguments.of("blank lines", PLAIN.replace("\n", "\n\n")),
        Arguments.of("other order", "y,x,colour\nyes,5,red\nno,10,blue\n"),
        Arguments.of("more columns", "id,x,colour,y\n\"a,\n;b\",5,red,yes\n7,10,blue,no\n"),
        Arguments.of("other spellings", "x,colour,y\n+5.0,red,yes\n1e1,blue,no\n"),
        Arguments.of("commas in quotes", "x;colour;y;t\n5;red;yes;\"a,b,c\"\n10;blue;no;,,,\n"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("layouts")
  void training_anyLayout_sameExamples(String name, String text) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    for (byte[] bytes : List.of(content, Tables.gzip(text))) {
      Examples examples = Tables.SMALL.labeled(Tables.bytes(bytes, CsvOptions.DEFAULT));

      assertThat(examples.width()).isEqualTo(Tables.SMALL.width()).isEqualTo(7);
      assertThat(Tables.row(examples, 0)).containsExactly(0, 0, 1, 0, 0, 0, 0);
      assertThat(Tables.row(examples, 1)).containsExactly(1, 0, 0, 0, 1, 0, 0);
      assertThat(examples.targets()).containsExactly(1, 0); // yes is the positive class
    }
  }

  @Test
  void training_oddValues_areClampedUnknownOrMissing() {
    String text =
        "x,colour,y\n-3,violet,no\n1e300,NA,yes\nNA,,no\n?,  ,yes\n\"\",\"red\",no\n2.5,Red,yes\n";
    Examples examples = Tables.SMALL.labeled(Tables.csv(text));

    assertThat(Tables.SMALL.featureNames())
        .containsExactly(
            "x",
            "x missing",
            "colour=red",
            "colour=green",
            "colour=blue",
            "colour other",
            "colour missing");
    assertThat(Tables.row(examples, 0)).containsExactly(-1, 0, 0, 0, 0, 1, 0);
    assertThat(Tables.row(examples, 1)).containsExactly(1, 0, 0, 0, 0, 0, 1);
    assertThat(Tables.row(examples, 2)).containsExactly(0, 1, 0, 0, 0, 0, 1);
    assertThat(Tables.row(examples, 3)).containsExactly(0, 1, 0, 0, 0, 0, 1);
    assertThat(Tables.row(examples, 4)).containsExactly(0, 1, 1, 0, 0, 0, 0);
    assertThat(Tables.row(examples, 5)).containsExactly(-0.5f, 0, 0, 0, 0, 1, 0);
  }

  @Test
  void training_numberDeclaredMissing_isMissing() {
    Schema schema = new Schema(Tables.SMALL.columns(), List.of("-9"), Tables.SMALL.label(), false);
    Examples examples = schema.labeled(Tables.csv("x,colour,y\n-9,-9,no\n-8,red,yes\n"));

    assertThat(Tables.row(examples, 0)).containsExactly(0, 1, 0, 0, 0, 0, 1);
    assertThat(Tables.row(examples, 1)).containsExactly(-1, 0, 1, 0, 0, 0, 0);
  }

  @Test
  void training_missingNotDeclared_isTheMiddleOrOther() {
    Schema schema =
        new Schema(
            List.of(
                new NumericColumn("x", 0, 10, NumericColumn.Scale.LINEAR, List.of(), false),
                new CategoryColumn("colour", List.of("red", "green", "blue"), false)),
            Schema.MISSING,
            null,
            false);

    assertThat(schema.unlabeled(Tables.csv("x,colour\nNA,NA\n")).features())
        .containsExactly(0, 0, 0, 0, 1);
  }

  @Test
  void training_twoValues_areOneFeature() {
    Schema schema =
        new Schema(
            List.of(new CategoryColumn("a", List.of("0", "1"), false)),
            Schema.MISSING,
            Label.ofClasses("b", List.of("0", "1"), "0"),
            false);
    Examples examples = schema.labeled(Tables.csv("a,b\n0,0\n1,1\n1.0,1.0\n2,0\nNA,0\n"));

    assertThat(examples.features()).containsExactly(0, 1, 1, 0.5f, 0.5f);
    assertThat(examples.targets()).containsExactly(1, 0, 0, 1, 1); // 0 is the positive class
    assertThat(schema.featureNames()).containsExactly("a=1");
    assertThat(schema.classes()).containsExactly("1", "0");
  }

  @Test
  void training_withoutHeader_columnsAreNumbered() {
    Schema schema =
        new Schema(
            List.of(new NumericColumn("c1", 0, 4, NumericColumn.Scale.LINEAR, List.of(), false)),
            Schema.MISSING,
            Label.ofClasses("c2", List.of("0", "1"), "1"),
            false);
    CsvSource source = Tables.csv("1,0\n3,1\n", CsvOptions.DEFAULT.withoutHeader());

    assertThat(source.columns()).containsExactly("c1", "c2");
    assertThat(schema.labeled(source).features()).containsExactly(-0.5f, 0.5f);
  }

  @Test
  void training_numericLabel_targetConvertsBack() {
    Schema schema =
        new Schema(
            Tables.SMALL.columns(), Schema.MISSING, Label.ofNumber("price", 100, 300), false);
    Examples examples = schema.labeled(Tables.csv("x,colour,price\n1,red,150\n2,blue,900\n"));

    assertThat(examples.targets()).containsExactly(-0.5f, 1);
    assertThat(schema.requireLabel().number(-0.5)).isEqualTo(150);
    assertThat(schema.requireLabel().number(7)).isEqualTo(300);
  }

  @Test
  void labeled_oneClassOnly_isAccepted() {
    assertThat(Tables.SMALL.labeled(Tables.csv("x,colour,y\n1,red,no\n")).size()).isEqualTo(1);
  }

  @Test
  void delimiter_dependsOnlyOnTheHeader() {
    String header = "x|colour|y|city, state\n";
    for (String city : List.of("Bonn, NW", "Berlin", "a,b,c,d,e")) {
      assertThat(Tables.SMALL.labeled(Tables.csv(header + "1|red|no|" + city + "\n")).size())
          .isOne();
    }
  }

  @Test
  void unlabeled_needsNoLabel() {
    Examples examples = Tables.SMALL.unlabeled(Tables.csv("colour,x\nred,1\nblue,2\ngreen,3\n"));

    assertThat(examples.size()).isEqualTo(3);
    assertThat(examples.targets()).containsExactly(0, 0, 0);
    // A label column is ignored.
    assertThat(Tables.SMALL.unlabeled(Tables.csv("colour,x,y\nred,1,maybe\n")).size()).isOne();
  }

  @Test
  void training_logarithm_spreadsSmallNumbers() {
    Schema schema = numeric(NumericColumn.Scale.LOG, List.of());
    float[] f = schema.unlabeled(Tables.csv("a,b\n0,\n1,\n100,\n1000,\n")).features();

    assertThat(f[0]).isEqualTo(-1);
    assertThat((double) f[1]).isCloseTo(2 * Math.log(2) / Math.log(1001) - 1, within(1e-7));
    assertThat((double) f[2]).isCloseTo(2 * Math.log(101) / Math.log(1001) - 1, within(1e-7));
    assertThat(f[3]).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"LINEAR", "LOG"})
  void training_knots_areASplineThatSumsToOne(NumericColumn.Scale scale) {
    Schema schema = numeric(scale, List.of(250.0, 500.0));
    Examples examples =
        schema.unlabeled(Tables.csv("a,b\n0,\n250,\n500,\n1000,\n375,\n-5,\n5000,\n7.25,\n"));

    assertThat(schema.featureNames()).containsExactly("a", "a~0", "a~250", "a~500", "a~1000");
    assertThat(Arrays.copyOfRange(Tables.row(examples, 0), 1, 5)).containsExactly(1, 0, 0, 0);
    assertThat(Arrays.copyOfRange(Tables.row(examples, 1), 1, 5)).containsExactly(0, 1, 0, 0);
    assertThat(Arrays.copyOfRange(Tables.row(examples, 2), 1, 5)).containsExactly(0, 0, 1, 0);
    assertThat(Arrays.copyOfRange(Tables.row(examples, 3), 1, 5)).containsExactly(0, 0, 0, 1);
    for (int i = 0; i < examples.size(); i++) {
      float[] row = Tables.row(examples, i);
      assertThat(row[1] + row[2] + row[3] + row[4]).isCloseTo(1, within(1e-6f));
      for (float feature : row) {
        assertThat(feature).isBetween(-1f, 1f);
      }
    }
  }

  @Test
  void training_manyRows_crossesChunks() {
    StringBuilder text = new StringBuilder("x,colour,y\n");
    int rows = 200_000; // of 7 features: more than one chunk of 2^20
    for (int i = 0; i < rows; i++) {
      text.append(i % 11)
          .append(i % 3 == 0 ? ",red," : ",blue,")
          .append(i % 2 == 0 ? "yes\n" : "no\n");
    }
    Examples examples = Tables.SMALL.labeled(Tables.csv(text.toString()));

    assertThat(examples.size()).isEqualTo(rows);
    for (int i = 0; i < rows; i += 997) {
      float[] row = Tables.row(examples, i);
      assertThat(row[0]).isCloseTo(i % 11 / 5f - 1, within(1e-6f));
      assertThat(row[2]).isEqualTo(i % 3 == 0 ? 1 : 0);
      assertThat(examples.targets()[i]).isEqualTo(1 - i % 2);
    }
  }

  @Test
  void source_file_isReadByItsBytesNotItsName(@TempDir Path folder) throws IOException {
    Path misnamed = folder.resolve("table.csv");
    Files.write(misnamed, Tables.gzip(PLAIN));

    assertThat(CsvSource.of(misnamed, CsvOptions.DEFAULT).columns())
        .containsExactly("x", "colour", "y");
  }

  @Test
  void source_namelessColumn_isNumbered() {
    assertThat(Tables.csv(",a,b\n0,1,2\n").columns()).containsExactly("c1", "a", "b");
  }

  private static Schema numeric(NumericColumn.Scale scale, List<Double> knots) {
    return new Schema(
        List.of(new NumericColumn("a", 0, 1000, scale, knots, false)), Schema.MISSING, null, false);
  }
}
