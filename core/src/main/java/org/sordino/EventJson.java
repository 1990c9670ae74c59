package org.sordino;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/**
 * The JSON form of events: {@code {"kind":"sampled-gaussian","samplingRate":0.01,...}}.
 *
 * <p>The names of kinds and fields are part of the file format and never change.
 */
final class EventJson implements PrivacyEvent.Visitor<Map<String, @Nullable Object>> {

  /** Deeper nesting than any ledger has; it keeps a hostile file from overflowing the stack. */
  private static final int MAX_DEPTH = 100;

  private EventJson() {}

  static String write(PrivacyEvent event) {
    return Json.write(event.accept(new EventJson()));
  }

  static PrivacyEvent read(String json) {
    return event(Json.readObject(json), 0);
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

  private static PrivacyEvent event(Map<?, ?> json, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "a privacy event must be nested at most " + MAX_DEPTH + " deep, got more");
    }
    Object kind = json.get("kind");
    if (!(kind instanceof String name)) {
      throw new IllegalArgumentException("a privacy event must have a \"kind\", got " + json);
    }
    return switch (name) {
      case "gaussian" -> {
        requireFields(json, name, Set.of("noiseMultiplier"));
        yield new PrivacyEvent.Gaussian(number(json, "noiseMultiplier"));
      }
      case "sampled-gaussian" -> {
        requireFields(json, name, Set.of("samplingRate", "noiseMultiplier"));
        yield new PrivacyEvent.SampledGaussian(
            number(json, "samplingRate"), number(json, "noiseMultiplier"));
      }
      case "repeated" -> {
        requireFields(json, name, Set.of("event", "count"));
        yield new PrivacyEvent.Repeated(nested(json.get("event"), depth), count(json));
      }
      case "composition" -> {
        requireFields(json, name, Set.of("events"));
        if (!(json.get("events") instanceof List<?> events)) {
          throw new IllegalArgumentException("composition must have a list \"events\"");
        }
        yield new PrivacyEvent.Composition(events.stream().map(e -> nested(e, depth)).toList());
      }
      default ->
          throw new IllegalArgumentException(
              "privacy event of unknown kind \""
                  + name
                  + "\"; it was written by a newer version and is not skipped, because a skipped"
                  + " event would under-report epsilon");
    };
  }

  private static PrivacyEvent nested(@Nullable Object json, int depth) {
    if (json instanceof Map<?, ?> map) {
      return event(map, depth + 1);
    }
    throw new IllegalArgumentException("a privacy event must be a JSON object, got " + json);
  }

  private static double number(Map<?, ?> json, String field) {
    Object value = json.get(field);
    // A literal such as 1e400 overflows; taken for infinite noise it would make the event free.
    if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    if ("Infinity".equals(value)) {
      return Double.POSITIVE_INFINITY;
    }
    throw new IllegalArgumentException(field + " must be a number, got " + value);
  }

  private static long count(Map<?, ?> json) {
    if (json.get("count") instanceof Long count) {
      return count;
    }
    throw new IllegalArgumentException("count must be a whole number, got " + json.get("count"));
  }

  /** An unknown field could change the meaning of the event, so it is refused, not ignored. */
  private static void requireFields(Map<?, ?> json, String kind, Set<String> fields) {
    for (Object field : json.keySet()) {
      if (!field.equals("kind") && !fields.contains(field)) {
        throw new IllegalArgumentException(
            "privacy event \"" + kind + "\" has an unknown field \"" + field + "\"");
      }
    }
  }
}
