package org.sordino.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/**
 * The JSON form of a schema:
 *
 * <pre>{@code
 * {"origin": "data" or "public",
 *  "missing": ["", "NA", "?"],
 *  "columns": [
 *    {"name": "age", "kind": "numeric", "min": 17, "max": 90, "knots": [30, 60], "missing": true},
 *    {"name": "income", "kind": "numeric", "min": 0, "max": 1000000, "scale": "log"},
 *    {"name": "state", "kind": "category", "values": ["GA", "CA", "NY"]},
 *    {"name": "id", "kind": "ignored", "note": "text with many different values"}],
 *  "label": {"column": "employed", "kind": "category", "values": ["0", "1"], "positive": "1"}}
 * }</pre>
 *
 * <p>A label may also be {@code numeric}, with bounds. Error messages contain the path of the
 * invalid value, such as {@code columns[2].min}.
 */
final class SchemaJson {

  private static final String DATA = "data";
  private static final String PUBLIC = "public";
  private static final String ADVICE =
      "Bounds and values were taken from the records, outside any guarantee. Correct them from"
          + " public knowledge, then write \"public\" for the origin.";
  private static final long MOST_BYTES = 16 << 20;

  private SchemaJson() {}

  static Schema load(Path file) {
    try {
      if (Files.isDirectory(file) || !Files.exists(file)) {
        throw new TableException(file + " must be an existing schema file; check the path");
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new TableException(
            file + " must have at most 16 MiB, got more; check that it is a schema");
      }
      return parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new TableException(
          file
              + " must be a readable UTF-8 file; check its encoding and permissions. Reading failed"
              + " with "
              + e.getClass().getSimpleName(),
          e);
    }
  }

  static Schema parse(String name, String text) {
    JsonPlace root = JsonPlace.root(name, text);
    root.allow("origin", "note", "missing", "columns", "label");
    List<Column> columns = new ArrayList<>();
    for (JsonPlace column : root.list("columns")) {
      columns.add(column.build(() -> column(column)));
    }
    Label label = root.has("label") ? label(root.object("label")) : null;
    List<String> missing = root.has("missing") ? root.texts("missing") : Schema.MISSING;
    String origin = root.choice("origin", PUBLIC, DATA, PUBLIC);
    return root.build(() -> new Schema(columns, missing, label, origin.equals(DATA)));
  }

  private static Column column(JsonPlace at) {
    String name = at.text("name");
    String kind = at.choice("kind", null, "numeric", "category", "ignored");
    if (kind.equals("ignored")) {
      at.allow("name", "kind", "note");
      return new IgnoredColumn(name, at.has("note") ? at.text("note") : "");
    }
    if (kind.equals("category")) {
      at.allow("name", "kind", "values", "missing", "note");
      return new CategoryColumn(name, at.texts("values"), at.flag("missing"));
    }
    at.allow("name", "kind", "min", "max", "scale", "knots", "missing", "note");
    String scale = at.choice("scale", "linear", "linear", "log");
    return new NumericColumn(
        name,
        at.number("min"),
        at.number("max"),
        NumericColumn.Scale.valueOf(scale.toUpperCase(Locale.ROOT)),
        at.has("knots") ? at.numbers("knots") : List.of(),
        at.flag("missing"));
  }

  private static Label label(JsonPlace at) {
    String kind = at.choice("kind", "category", "numeric", "category");
    if (kind.equals("numeric")) {
      at.allow("column", "kind", "min", "max");
      return at.build(() -> Label.ofNumber(at.text("column"), at.number("min"), at.number("max")));
    }
    at.allow("column", "kind", "values", "positive");
    return at.build(
        () -> Label.ofClasses(at.text("column"), at.texts("values"), at.text("positive")));
  }

  static String format(Schema schema) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("origin", schema.drafted() ? DATA : PUBLIC);
    if (schema.drafted()) {
      json.put("note", ADVICE);
    }
    json.put("missing", schema.missing());
    json.put("columns", schema.columns().stream().map(SchemaJson::column).toList());
    Label label = schema.label();
    if (label != null) {
      json.put("label", label(label));
    }
    return Json.writePretty(json) + "\n";
  }

  private static Map<String, @Nullable Object> column(Column column) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", column.name());
    if (column instanceof NumericColumn numeric) {
      json.put("kind", "numeric");
      json.put("min", number(numeric.min()));
      json.put("max", number(numeric.max()));
      if (numeric.scale() == NumericColumn.Scale.LOG) {
        json.put("scale", "log");
      }
      if (!numeric.knots().isEmpty()) {
        json.put("knots", numeric.knots().stream().map(SchemaJson::number).toList());
      }
      putMissing(json, numeric.missing());
    } else if (column instanceof CategoryColumn category) {
      json.put("kind", "category");
      json.put("values", category.values());
      putMissing(json, category.missing());
    } else if (column instanceof IgnoredColumn ignored) {
      json.put("kind", "ignored");
      json.put("note", ignored.note());
    }
    return json;
  }

  private static void putMissing(Map<String, @Nullable Object> json, boolean missing) {
    if (missing) {
      json.put("missing", true);
    }
  }

  private static Map<String, @Nullable Object> label(Label label) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("column", label.column());
    json.put("kind", label.isNumber() ? "numeric" : "category");
    if (label.isNumber()) {
      json.put("min", number(label.min()));
      json.put("max", number(label.max()));
    } else {
      json.put("values", label.classes());
      json.put("positive", label.positive());
    }
    return json;
  }

  /** Returns a number for JSON, without a fraction if it is whole. */
  private static Object number(double value) {
    boolean whole = value == Math.rint(value) && Math.abs(value) < 1e15;
    return whole ? (Object) (long) value : (Object) value;
  }
}
