package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.table.CategoryColumn;
import org.sordino.table.IgnoredColumn;
import org.sordino.table.Label;
import org.sordino.table.NumericColumn;
import org.sordino.table.Schema;

/** docs/reference/schema.md describes what a schema file contains. */
class SchemaPageTest {

  private static Page page() throws IOException {
    return Page.of("reference/schema.md");
  }

  @Test
  void fields_areThoseOfSchemasThatWereWritten() throws IOException {
    Set<String> fields = new TreeSet<>();
    Set<String> columns = new TreeSet<>();
    Set<String> labels = new TreeSet<>();
    for (Label label :
        List.of(Label.ofClasses("y", List.of("0", "1"), "1"), Label.ofNumber("y", 0, 1))) {
      JsonObject json = JsonObject.read("", rich(label).toJson());
      fields.addAll(json.fields().keySet());
      json.objects("columns").forEach(column -> columns.addAll(column.fields().keySet()));
      labels.addAll(json.object("label").fields().keySet());
    }

    assertThat(page().names("field"))
        .isEqualTo(Map.of("Fields", fields, "columns", columns, "label", labels));
  }

  private static Schema rich(Label label) {
    return new Schema(
        List.of(
            new NumericColumn("a", 0, 1, NumericColumn.Scale.LOG, List.of(0.5), true),
            new CategoryColumn("b", List.of("x", "y", "z"), true),
            new IgnoredColumn("c", "text with many different values")),
        Schema.MISSING,
        label,
        true);
  }

  @Test
  void examples_areReadAndWritten() throws IOException {
    List<String> examples = page().blocks("json");
    assertThat(examples).hasSize(2);
    Schema complete = Schema.ofJson("schema.json", examples.get(0));
    Schema regression = Schema.ofJson("schema.json", examples.get(1));

    assertThat(Json.readObject(complete.toJson())).isEqualTo(Json.readObject(examples.get(0)));
    assertThat(regression.requireLabel().isNumber()).isTrue();
    assertThat(regression.missing()).isEqualTo(Schema.MISSING);
    assertThat(regression.drafted()).isFalse();
  }

  @Test
  void missingTexts_areDocumented() throws IOException {
    for (String text : Schema.MISSING) {
      assertThat(page().text()).contains(text.isEmpty() ? "`\"\"`" : "`" + text + "`");
    }
  }
}
