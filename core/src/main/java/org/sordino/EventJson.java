package org.sordino;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;

/**
 * The JSON form of privacy events: {@code {"kind":"sampled-gaussian","samplingRate":0.01,...}}.
 *
 * <p>The names of kinds and fields are part of the file format and never change.
 */
final class EventJson implements PrivacyEvent.Visitor<Map<String, @Nullable Object>> {

  /** Limit on nesting, far above what ledgers contain. Protects the stack from malicious files. */
  private static final int MAX_DEPTH = 100;

  private EventJson() {}

  static String write(PrivacyEvent event) {
    return Json.write(event.accept(new EventJson()));
  }

  static PrivacyEvent read(String json) {
    return event(JsonObject.read("privacy event", json), 0);
  }

  @Override
  public Map<String, @Nullable Object> gaussian(PrivacyEvent.Gaussian event) {
    return object("gaussian", "noiseMultiplier", event.noiseMultiplier());
  }

  @Override
  public Map<String, @Nullable Object> sampledGaussian(PrivacyEvent.SampledGaussian event) {
    Map<String, @Nullable Object> json =
        object("sampled-gaussian", "samplingRate", event.samplingRate());
    json.put("noiseMultiplier", event.noiseMultiplier());
    return json;
  }

  @Override
  public Map<String, @Nullable Object> repeated(PrivacyEvent.Repeated event) {
    Map<String, @Nullable Object> json = object("repeated", "event", event.event().accept(this));
    json.put("count", event.count());
    return json;
  }

  @Override
  public Map<String, @Nullable Object> composition(PrivacyEvent.Composition event) {
    return object(
        "composition", "events", event.events().stream().map(e -> e.accept(this)).toList());
  }

  private static Map<String, @Nullable Object> object(String kind, String field, Object value) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("kind", kind);
    json.put(field, value);
    return json;
  }

  private static PrivacyEvent event(JsonObject object, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "a privacy event must be nested at most " + MAX_DEPTH + " levels deep, got more");
    }
    String kind = object.text("kind");
    JsonObject json = object.named("privacy event \"" + kind + "\"");
    // An unknown field could change the meaning of the event, so it is rejected, not ignored.
    return switch (kind) {
      case "gaussian" -> {
        json.only("kind", "noiseMultiplier");
        yield new PrivacyEvent.Gaussian(json.number("noiseMultiplier"));
      }
      case "sampled-gaussian" -> {
        json.only("kind", "samplingRate", "noiseMultiplier");
        yield new PrivacyEvent.SampledGaussian(
            json.number("samplingRate"), json.number("noiseMultiplier"));
      }
      case "repeated" -> {
        json.only("kind", "event", "count");
        yield new PrivacyEvent.Repeated(
            event(json.object("event"), depth + 1), json.integer("count"));
      }
      case "composition" -> {
        json.only("kind", "events");
        yield new PrivacyEvent.Composition(
            json.objects("events").stream().map(e -> event(e, depth + 1)).toList());
      }
      default ->
          throw new IllegalArgumentException(
              "privacy event has the unknown kind \""
                  + kind
                  + "\", possibly from a newer version of Sordino; it is not skipped, because that"
                  + " would under-report epsilon");
    };
  }
}
