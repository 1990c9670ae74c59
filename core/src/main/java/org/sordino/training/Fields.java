package org.sordino.training;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The fields of a JSON object, read with errors that name the place. */
final class Fields {

  private final String place;
  private final Map<?, ?> json;

  Fields(String place, @Nullable Object json) {
    this.place = place;
    if (!(json instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(place + " must be a JSON object, got " + json);
    }
    this.json = map;
  }

  /** Refuses fields that nobody reads: a misspelt name must not be ignored. */
  Fields only(String... names) {
    Set<String> known = Set.of(names);
    for (Object name : json.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            place + " has the unknown field " + name + "; known are " + List.of(names));
      }
    }
    return this;
  }

  boolean has(String name) {
    return json.get(name) != null;
  }

  /** Does something with a field if it is there. */
  void ifPresent(String name, Consumer<String> action) {
    if (has(name)) {
      action.accept(name);
    }
  }

  /** Refuses an object without this field. */
  void require(String name) {
    required(name);
  }

  Fields object(String name) {
    return new Fields(place + "." + name, required(name));
  }

  List<Fields> objects(String name) {
    return list(name).stream().map(item -> new Fields(place + "." + name, item)).toList();
  }

  List<?> list(String name) {
    if (required(name) instanceof List<?> list) {
      return list;
    }
    throw wrong(name, "a list");
  }

  List<String> texts(String name) {
    return list(name).stream()
        .map(
            item -> {
              if (item instanceof String text) {
                return text;
              }
              throw wrong(name, "a list of strings");
            })
        .toList();
  }

  List<Double> numbers(String name) {
    return list(name).stream()
        .map(
            item -> {
              if (item instanceof Number number) {
                return number.doubleValue();
              }
              throw wrong(name, "a list of numbers");
            })
        .toList();
  }

  String text(String name) {
    if (required(name) instanceof String text) {
      return text;
    }
    throw wrong(name, "a string");
  }

  long integer(String name) {
    if (required(name) instanceof Long value) {
      return value;
    }
    throw wrong(name, "a whole number");
  }

  double number(String name) {
    Object value = required(name);
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    if ("Infinity".equals(value)) {
      return Double.POSITIVE_INFINITY;
    }
    throw wrong(name, "a number");
  }

  boolean flag(String name) {
    if (required(name) instanceof Boolean value) {
      return value;
    }
    throw wrong(name, "true or false");
  }

  <E extends Enum<E>> E choice(Class<E> type, String name) {
    String text = text(name);
    for (E constant : type.getEnumConstants()) {
      if (spelling(constant).equals(text)) {
        return constant;
      }
    }
    throw wrong(
        name,
        "one of "
            + java.util.Arrays.stream(type.getEnumConstants()).map(Fields::spelling).toList());
  }

  /** How an enum constant is written in JSON: {@code after-noise}. */
  static String spelling(Enum<?> constant) {
    return constant.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  private Object required(String name) {
    return required(place + "." + name, json.get(name));
  }

  static Object required(String place, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(place + " is missing");
    }
    return value;
  }

  private IllegalArgumentException wrong(String name, String expected) {
    return new IllegalArgumentException(
        place + "." + name + " must be " + expected + ", got " + json.get(name));
  }
}
