package org.sordino.ledger;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyEvent;
import org.sordino.json.Json;

/** The fields of a JSON object that must have exactly these, each of its type. */
final class Fields {

  private final String owner;
  private final Map<?, ?> json;

  private Fields(String owner, Map<?, ?> json) {
    this.owner = owner;
    this.json = json;
  }

  /**
   * An unknown field could change the meaning of the known ones, so it is refused.
   *
   * @param owner what the object is, for messages
   */
  static Fields of(String owner, @Nullable Object object, Set<String> names) {
    if (!(object instanceof Map<?, ?> json)) {
      throw new IllegalArgumentException(owner + " must be a JSON object, got " + object);
    }
    for (Object field : json.keySet()) {
      if (!names.contains(field)) {
        throw new IllegalArgumentException(
            owner + " has an unknown field \"" + field + "\", perhaps of a newer version");
      }
    }
    return new Fields(owner, json);
  }

  long whole(String name) {
    if (json.get(name) instanceof Long value) {
      return value;
    }
    throw wrong(name, "a whole number");
  }

  double number(String name) {
    Object value = json.get(name);
    if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    if ("Infinity".equals(value)) {
      return Double.POSITIVE_INFINITY;
    }
    throw wrong(name, "a number");
  }

  String text(String name) {
    if (json.get(name) instanceof String value) {
      return value;
    }
    throw wrong(name, "a text");
  }

  List<?> list(String name) {
    if (json.get(name) instanceof List<?> value) {
      return value;
    }
    throw wrong(name, "a list");
  }

  Map<?, ?> object(String name) {
    if (json.get(name) instanceof Map<?, ?> value) {
      return value;
    }
    throw wrong(name, "an object");
  }

  PrivacyEvent event(String name) {
    Map<?, ?> event = object(name);
    requireFinite(event);
    return PrivacyEvent.fromJson(Json.write(event));
  }

  /**
   * A literal such as 1e400 reads as infinity, and would be written as the text "Infinity", which
   * means infinite noise: an event that costs nothing.
   */
  private static void requireFinite(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.values().forEach(Fields::requireFinite);
    } else if (value instanceof List<?> list) {
      list.forEach(Fields::requireFinite);
    } else if (value instanceof Double number && !Double.isFinite(number)) {
      throw new IllegalArgumentException("a number is too large for a double");
    }
  }

  private IllegalArgumentException wrong(String name, String type) {
    return new IllegalArgumentException(
        owner
            + " must have \""
            + name
            + "\", "
            + type
            + ", got "
            + Objects.toString(json.get(name)));
  }
}
