package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaJsonTest {

  private static final String COLUMNS = "{'columns': [{'name': 'a', 'kind': 'numeric', ";
  private static final String OK = "{'name': 'a', 'kind': 'numeric', 'min': 0, 'max': 1}";

  @Test
  void toJson_everyKind_readsBack() {
    Schema schema =
        new Schema(
            List.of(
                new NumericColumn("age", 17, 90, NumericColumn.Scale.LINEAR, List.of(30.5), true),
                new NumericColumn("income", 0, 1e6, NumericColumn.Scale.LOG, List.of(), false),
                new CategoryColumn("\u00e9tat \"x\"", List.of("GA", "CA", "NY, NY"), true),
                new IgnoredColumn("id", "text with many different values")),
            List.of("", "-9"),
            Label.ofClasses("y", List.of("b", "a", "c"), "a"),
            true);
    Schema back = Schema.ofJson("s.json", schema.toJson());

    assertThat(back.columns()).isEqualTo(schema.columns());
    assertThat(back.missing()).isEqualTo(schema.missing());
    assertThat(back.drafted()).isTrue();
    assertThat(back.classes()).containsExactly("b", "a", "c");
    assertThat(back.requireLabel().positive()).isEqualTo("a");
    assertThat(back.toJson()).isEqualTo(schema.toJson()).contains("outside any guarantee");
  }

  @Test
  void ofJson_short_hasDefaults() {
    Schema schema = parse("{'columns': [" + OK + "]}");

    assertThat(schema.missing()).isEqualTo(Schema.MISSING);
    assertThat(schema.drafted()).isFalse();
    assertThat(schema.label()).isNull();
    assertThatThrownBy(schema::requireLabel).hasMessageContaining("declare the column to predict");
  }

  @Test
  void ofJson_numericLabelAndNumbersAsValues_areRead() {
    Schema number =
        parse(
            "{'columns': ["
                + OK
                + "], 'label': {'column': 'b', 'kind': 'numeric', 'min': 0, 'max': 2}}");
    Schema classes =
        parse(
            "{'columns': [" + OK + "], 'label': {'column': 'b', 'values': [1, 0], 'positive': 1}}");

    assertThat(number.requireLabel().isNumber()).isTrue();
    assertThat(classes.classes()).containsExactly("0", "1");
  }

  @Test
  void load_file_isRead(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("schema.json");
    Files.writeString(file, Tables.SMALL.toJson());

    assertThat(Schema.load(file).columns()).isEqualTo(Tables.SMALL.columns());
    assertThatThrownBy(() -> Schema.load(folder))
        .hasMessageContaining("must be an existing schema file");
    assertThatThrownBy(() -> Schema.load(folder.resolve("no.json")))
        .hasMessageContaining("no.json must be an existing schema file");
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("", "s.json must contain a schema in JSON"),
        Arguments.of("[1]", "s.json must contain a schema in JSON"),
        Arguments.of("{'columns': [1", "s.json must contain a schema in JSON"),
        Arguments.of("{'columns': 99999999999999999999}", "s.json must contain a schema in JSON"),
        Arguments.of("{}", "s.json: columns is required; add it"),
        Arguments.of(
            "{'columns': []}", "s.json: columns must include at least one that is not ignored"),
        Arguments.of("{'columns': {}}", "s.json: columns must be a list [...], got \"{}\""),
        Arguments.of("{'columns': ['a']}", "s.json: columns[0] must be an object {...}, got \"a\""),
        Arguments.of("{'colums': []}", "got \"colums\"; did you mean \"columns\"?"),
        Arguments.of("{'columns': [{'name': 'a'}]}", "s.json: columns[0].kind is required; add it"),
        Arguments.of(
            "{'columns': [{'name': 'a', 'kind': 'number'}]}",
            "s.json: columns[0].kind must be one of numeric, category, ignored, got \"number\""),
        Arguments.of(COLUMNS + "'max': 1}]}", "s.json: columns[0].min is required; add it"),
        Arguments.of(
            COLUMNS + "'min': '0', 'max': 1}]}",
            "s.json: columns[0].min must be a number, got \"0\""),
        Arguments.of(
            COLUMNS + "'min': 5, 'max': 1}]}",
            "s.json: columns[0].min must be below max, and both must be finite, got 5 and 1"),
        Arguments.of(
            COLUMNS + "'min': 0, 'max': 1, 'knots': [2]}]}",
            "s.json: columns[0].knots must be ascending numbers between min and max, got 2"),
        Arguments.of(
            COLUMNS + "'min': 0, 'max': 1, 'scale': 'cubic'}]}",
            "s.json: columns[0].scale must be one of linear, log, got \"cubic\""),
        Arguments.of(
            COLUMNS + "'min': 0, 'max': 1, 'missing': 'yes'}]}",
            "s.json: columns[0].missing must be true or false, got \"yes\""),
        Arguments.of(
            COLUMNS + "'min': 0, 'max': 1, 'mising': true}]}",
            "s.json: columns[0] must have only the keys name, kind, min, max, scale, knots,"
                + " missing, note, got \"mising\"; did you mean \"missing\"?"),
        Arguments.of(
            "{'columns': [{'name': 'a', 'kind': 'category', 'values': ['x']}]}",
            "s.json: columns[0].values must have 2 to 1,000 entries, got 1; "),
        Arguments.of(
            "{'columns': [{'name': 'a', 'kind': 'category', 'values': ['x', 'y', 'x']}]}",
            "s.json: columns[0].values must be distinct, got \"x\" twice; delete one"),
        Arguments.of(
            "{'columns': [" + OK + ", " + OK + "]}",
            "s.json: columns must have unique names, got \"a\" twice"),
        Arguments.of(
            "{'columns': [" + OK + "], 'label': {'column': 'a', 'values': [0, 1], 'positive': 1}}",
            "s.json: label must not be among the columns"),
        Arguments.of(
            "{'columns': [" + OK + "], 'label': {'column': 'b', 'values': [0, 1], 'positive': 2}}",
            "s.json: label.positive must be one of the values \"0\", \"1\", got \"2\""),
        Arguments.of(
            "{'columns': [" + OK + "], 'origin': 'me'}",
            "s.json: origin must be one of data, public, got \"me\""));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void ofJson_mistake_namesThePlace(String json, String message) {
    assertThatThrownBy(() -> parse(json))
        .isInstanceOf(TableException.class)
        .hasMessageContaining(message)
        .message()
        .doesNotContain("\n");
  }

  private static Schema parse(String json) {
    return Schema.ofJson("s.json", json.replace('\'', '"'));
  }
}
