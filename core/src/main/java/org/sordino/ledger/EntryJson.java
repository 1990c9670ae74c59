package org.sordino.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;

/**
 * The JSON form of the header and the entries, without the chain. The names of kinds and fields are
 * part of the file format and never change.
 */
final class EntryJson implements Entry.Visitor<Map<String, @Nullable Object>> {

  static final String MAGIC = "sordino";
  static final long VERSION = 1;

  private static final List<String> HEADER =
      List.of(
          "ledger",
          "version",
          "run",
          "neighbouring",
          "unit",
          "population",
          "randomness",
          "notes",
          "chain");

  private EntryJson() {}

  static String write(Header header) {
    Map<String, @Nullable Object> json = object("ledger", MAGIC);
    json.put("version", VERSION);
    json.put("run", header.run());
    json.put("neighbouring", name(header.neighboring()));
    json.put("unit", header.unit());
    json.put("population", header.population());
    json.put("randomness", header.randomness());
    json.put("notes", header.notes());
    return Json.write(json);
  }

  static String write(Entry entry) {
    return Json.write(entry.accept(new EntryJson()));
  }

  static Header readHeader(String line) {
    JsonObject fields = JsonObject.read("the header", line).only(HEADER);
    JsonObject texts = fields.object("notes");
    Map<String, String> notes = new TreeMap<>();
    texts.fields().keySet().forEach(note -> notes.put(note, texts.text(note)));
    return new Header(
        fields.text("run"),
        neighboring(fields.text("neighbouring")),
        fields.text("unit"),
        fields.integer("population"),
        fields.text("randomness"),
        notes);
  }

  static Entry read(String line) {
    Map<String, @Nullable Object> json = Json.readObject(line);
    if (!(json.get("entry") instanceof String kind)) {
      throw new IllegalArgumentException("an entry must have \"entry\" with its kind");
    }
    return switch (kind) {
      case "reserve" -> {
        JsonObject fields = fields(kind, json, "from", "count", "event");
        yield new Entry.Reserve(fields.integer("from"), fields.integer("count"), event(fields));
      }
      case "query" -> {
        JsonObject fields = fields(kind, json, "name", "event");
        yield new Entry.Query(fields.text("name"), event(fields));
      }
      case "realised" -> {
        JsonObject fields = fields(kind, json, "step", "groups");
        yield new Entry.RealizedEntry(
            fields.integer("step"),
            fields.objects("groups").stream().map(EntryJson::readRealized).toList());
      }
      case "restart" -> {
        JsonObject fields = fields(kind, json, "from", "reason");
        yield new Entry.Restart(fields.integer("from"), fields.text("reason"));
      }
      case "finish" -> new Entry.Finish(fields(kind, json, "steps").integer("steps"));
      default ->
          throw new IllegalArgumentException(
              "an entry has the unknown kind \""
                  + kind
                  + "\", possibly from a newer version of Sordino; it is not skipped, because that"
                  + " could under-report the privacy cost");
    };
  }

  @Override
  public Map<String, @Nullable Object> reserve(Entry.Reserve entry) {
    Map<String, @Nullable Object> json = object("entry", "reserve");
    json.put("from", entry.from());
    json.put("count", entry.count());
    json.put("event", event(entry.perStep()));
    return json;
  }

  @Override
  public Map<String, @Nullable Object> query(Entry.Query entry) {
    Map<String, @Nullable Object> json = object("entry", "query");
    json.put("name", entry.name());
    json.put("event", event(entry.event()));
    return json;
  }

  @Override
  public Map<String, @Nullable Object> realized(Entry.RealizedEntry entry) {
    Map<String, @Nullable Object> json = object("entry", "realised");
    json.put("step", entry.step());
    json.put("groups", entry.groups().stream().map(EntryJson::realized).toList());
    return json;
  }

  @Override
  public Map<String, @Nullable Object> restart(Entry.Restart entry) {
    Map<String, @Nullable Object> json = object("entry", "restart");
    json.put("from", entry.from());
    json.put("reason", entry.reason());
    return json;
  }

  @Override
  public Map<String, @Nullable Object> finish(Entry.Finish entry) {
    Map<String, @Nullable Object> json = object("entry", "finish");
    json.put("steps", entry.steps());
    return json;
  }

  private static Map<String, @Nullable Object> realized(Realized realized) {
    Map<String, @Nullable Object> json = object("group", realized.group());
    json.put("bound", realized.bound());
    json.put("deviation", realized.deviation());
    return json;
  }

  private static Realized readRealized(JsonObject fields) {
    fields.only("group", "bound", "deviation");
    return new Realized(fields.text("group"), fields.number("bound"), fields.number("deviation"));
  }

  private static Map<String, @Nullable Object> event(PrivacyEvent event) {
    return Json.readObject(event.toJson());
  }

  private static Map<String, @Nullable Object> object(String field, String value) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(field, value);
    return json;
  }

  private static JsonObject fields(
      String kind, Map<String, @Nullable Object> json, String... names) {
    List<String> all = new ArrayList<>(List.of(names));
    all.add("entry");
    all.add("chain");
    return JsonObject.of("entry \"" + kind + "\"", json).only(all);
  }

  private static PrivacyEvent event(JsonObject entry) {
    return PrivacyEvent.fromJson(entry.object("event").toJson());
  }

  private static String name(Neighboring neighboring) {
    return switch (neighboring) {
      case ADD_OR_REMOVE_ONE -> "add-remove";
      case REPLACE_ONE -> "replace-one";
    };
  }

  private static Neighboring neighboring(String name) {
    for (Neighboring neighboring : Neighboring.values()) {
      if (name(neighboring).equals(name)) {
        return neighboring;
      }
    }
    throw new IllegalArgumentException(
        "neighbouring must be \"add-remove\" or \"replace-one\", got \"" + name + "\"");
  }
}
