package org.sordino.torch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sordino.json.JsonObject;

/**
 * Reads the JSON object of one layer. Adds to {@link JsonObject} the layer-specific parts: names,
 * sizes per axis, and the set of fields that the type of the layer has.
 */
final class Spec {

  /** Names in use, and counters for generated names. */
  static final class Names {
    private final Set<String> taken = new HashSet<>();
    private final Map<String, Integer> counters = new HashMap<>();

    String next(String stem) {
      return stem + counters.merge(stem, 1, Integer::sum);
    }
  }

  private final JsonObject json;
  private final Set<String> read = new TreeSet<>();
  private final Names names;
  private final String where;

  private Spec(JsonObject json, Names names, String where) {
    this.names = names;
    this.where = where + " (" + json.fields().get("type") + ")";
    this.json = json.named(this.where);
  }

  /** Returns the elements of a JSON array, each as the specification of a layer. */
  static List<Spec> list(@Nullable Object json, Names names, String where) {
    if (!(json instanceof List<?> list)) {
      throw new IllegalArgumentException(where + " must be a list of layers, got " + json);
    }
    List<Spec> specs = new ArrayList<>();
    for (Object item : list) {
      String position = where + "[" + specs.size() + "]";
      specs.add(new Spec(JsonObject.of(position, item), names, position));
    }
    return specs;
  }

  String type() {
    return text("type");
  }

  /** Returns the name given for the layer, or otherwise the stem with the next number. */
  String name(String stem) {
    Object given = value("name", names.next(stem));
    if (!(given instanceof String name) || !name.matches("[A-Za-z0-9_.-]+")) {
      throw error("name must consist of letters, digits, '_', '.' and '-', got " + given);
    }
    if (!names.taken.add(name)) {
      throw error(
          "name must be unique, got "
              + name
              + " twice; sharing weights between layers is not supported, use different names");
    }
    return name;
  }

  String text(String key) {
    read.add(key);
    return json.text(key);
  }

  int number(String key) {
    return number(key, null, 1);
  }

  int number(String key, @Nullable Integer otherwise, int smallest) {
    Object value = value(key, otherwise);
    if (value instanceof Number n
        && n.longValue() == n.doubleValue()
        && n.longValue() >= smallest
        && n.longValue() <= 1 << 30) {
      return n.intValue();
    }
    throw json.wrong(key, "a whole number of at least " + smallest);
  }

  double real(String key, double otherwise) {
    read.add(key);
    return json.fields().containsKey(key) ? json.finite(key) : otherwise;
  }

  boolean flag(String key, boolean otherwise) {
    read.add(key);
    return json.fields().containsKey(key) ? json.bool(key) : otherwise;
  }

  /** Returns one number for all {@code count} axes, or one per axis. */
  int[] axes(String key, int count, int @Nullable [] otherwise, int smallest) {
    Object value = value(key, null);
    if (value == null && otherwise != null) {
      return otherwise;
    }
    int[] axes = new int[count];
    for (int i = 0; i < count; i++) {
      Object axis = value instanceof List<?> list && list.size() == count ? list.get(i) : value;
      if (!(axis instanceof Long n) || n < smallest || n > 1 << 30) {
        throw json.wrong(key, "a whole number of at least " + smallest + " per axis");
      }
      axes[i] = n.intValue();
    }
    return axes;
  }

  int[] shape(String key) {
    return shape(value(key, null), where + ": " + key);
  }

  static int[] shape(@Nullable Object value, String where) {
    if (!(value instanceof List<?> list) || list.isEmpty() || list.size() > 3) {
      throw new IllegalArgumentException(where + " must be a list of 1 to 3 sizes, got " + value);
    }
    int[] shape = new int[list.size()];
    for (int i = 0; i < shape.length; i++) {
      if (!(list.get(i) instanceof Long n) || n < 1 || n > 1 << 30) {
        throw new IllegalArgumentException(
            where + " must contain whole numbers of at least 1, got " + value);
      }
      shape[i] = n.intValue();
    }
    return shape;
  }

  List<Spec> layers(String key) {
    return list(value(key, List.of()), names, where + "." + key);
  }

  /** Rejects fields that were not read. Must be called after the last field was read. */
  void done() {
    json.only(read);
  }

  /**
   * Returns the value of a field. The default applies if the field is absent, but not if it is
   * null.
   */
  private @Nullable Object value(String key, @Nullable Object otherwise) {
    read.add(key);
    return json.fields().containsKey(key) ? json.fields().get(key) : otherwise;
  }

  IllegalArgumentException error(String message) {
    return new IllegalArgumentException(where + ": " + message);
  }
}
