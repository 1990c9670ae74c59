package org.sordino.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/**
 * An object in the JSON text of a schema, with its path for error messages. People write schemas by
 * hand. In contrast to {@link org.sordino.json.JsonObject}, every message therefore contains a fix,
 * a misspelled key gets a suggestion, numbers are accepted as texts ({@code "values": [0, 1]}), and
 * all errors are {@link TableException}s.
 */
final class JsonPlace {

  private final String name;
  private final String path;
  private final Map<?, ?> object;

  private JsonPlace(String name, String path, Map<?, ?> object) {
    this.name = name;
    this.path = path;
    this.object = object;
  }

  static JsonPlace root(String name, String text) {
    try {
      return new JsonPlace(name, "", Json.readObject(text));
    } catch (RuntimeException e) {
      // Numbers beyond the range of a long, and deep nesting, cause other types of exception.
      String reason = String.valueOf(e.getMessage()).replaceAll("[\\p{Cntrl}\\s]+", " ");
      int length = Math.min(reason.length(), 200);
      throw new TableException(
          name + " must contain a schema in JSON; " + reason.substring(0, length), e);
    }
  }

  boolean has(String key) {
    return object.get(key) != null;
  }

  /** Rejects all other keys. A misspelled key would otherwise silently select the default. */
  void allow(String... keys) {
    for (Object key : object.keySet()) {
      if (!Arrays.asList(keys).contains(String.valueOf(key))) {
        String text = String.valueOf(key);
        String fix = Excerpt.didYouMean(text, Arrays.asList(keys), "delete it");
        throw new TableException(
            where("")
                + " must have only the keys "
                + String.join(", ", keys)
                + ", got "
                + Excerpt.of(text)
                + "; "
                + fix);
      }
    }
  }

  JsonPlace object(String key) {
    return object(key, required(key));
  }

  List<JsonPlace> list(String key) {
    List<?> items = items(key);
    List<JsonPlace> places = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      places.add(object(key + "[" + i + "]", items.get(i)));
    }
    return places;
  }

  String text(String key) {
    return text(key, required(key));
  }

  double number(String key) {
    return number(key, required(key));
  }

  boolean flag(String key) {
    Object value = object.get(key);
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw bad(key, "true or false", value);
  }

  List<String> texts(String key) {
    List<?> items = items(key);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      texts.add(text(key + "[" + i + "]", items.get(i)));
    }
    return texts;
  }

  List<Double> numbers(String key) {
    List<?> items = items(key);
    List<Double> numbers = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      numbers.add(number(key + "[" + i + "]", items.get(i)));
    }
    return numbers;
  }

  /**
   * Returns the value of a key, which must be one of the given words.
   *
   * @param otherwise the default if the key is absent, or null if the key is required
   */
  String choice(String key, @Nullable String otherwise, String... words) {
    if (otherwise != null && !has(key)) {
      return otherwise;
    }
    String text = text(key);
    if (Arrays.asList(words).contains(text)) {
      return text;
    }
    throw bad(key, "one of " + String.join(", ", words), text);
  }

  /** Builds a value from this object, and adds the path of this object to error messages. */
  <T> T build(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (TableException e) {
      String message = String.valueOf(e.getMessage());
      if (message.startsWith(name)) {
        throw e;
      }
      throw new TableException(where(message), e);
    }
  }

  private JsonPlace object(String key, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return new JsonPlace(name, path + key + ".", map);
    }
    throw bad(key, "an object {...}", value);
  }

  private String text(String key, @Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    if (value instanceof Long number) {
      return number.toString(); // "values": [0, 1]
    }
    throw bad(key, "a string in quotes", value);
  }

  private double number(String key, @Nullable Object value) {
    if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw bad(key, "a number", value);
  }

  private List<?> items(String key) {
    Object value = required(key);
    if (value instanceof List<?> list) {
      return list;
    }
    throw bad(key, "a list [...]", value);
  }

  private Object required(String key) {
    Object value = object.get(key);
    if (value == null) {
      throw new TableException(where(key) + " is required; add it");
    }
    return value;
  }

  private TableException bad(String key, String condition, @Nullable Object got) {
    String shown = Excerpt.of(got instanceof String text ? text : Json.write(got));
    return new TableException(
        where(key) + " must be " + condition + ", got " + shown + "; correct it");
  }

  private String where(String key) {
    String full = path + key;
    boolean dangling = key.isEmpty() && !path.isEmpty();
    String place = dangling ? path.substring(0, path.length() - 1) : full;
    return place.isEmpty() ? name + ": the schema" : name + ": " + place;
  }
}
