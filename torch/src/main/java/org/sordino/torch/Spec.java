package org.sordino.torch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The JSON object of one layer while it is read. Every complaint says which layer it is about. */
final class Spec {

  /** Names that are taken and counters for those that nobody gave. */
  static final class Names {
    private final Set<String> taken = new HashSet<>();
    private final Map<String, Integer> counters = new HashMap<>();

    String next(String stem) {
      return stem + counters.merge(stem, 1, Integer::sum);
    }
  }

  private final Map<String, @Nullable Object> fields;
  private final Set<String> unread;
  private final Names names;
  private final String where;

  private Spec(Map<String, @Nullable Object> fields, Names names, String where) {
    this.fields = fields;
    this.unread = new HashSet<>(fields.keySet());
    this.names = names;
    this.where = where + " (" + fields.get("type") + ")";
  }

  /** The elements of a JSON array as layers to be read. */
  static List<Spec> list(@Nullable Object json, Names names, String where) {
    if (!(json instanceof List<?> list)) {
      throw new IllegalArgumentException(where + " must be a list of layers, got " + json);
    }
    List<Spec> specs = new ArrayList<>();
    for (Object item : list) {
      String position = where + "[" + specs.size() + "]";
      if (!(item instanceof Map<?, ?> map)) {
        throw new IllegalArgumentException(position + " must be an object, got " + item);
      }
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      map.forEach((key, value) -> fields.put(String.valueOf(key), value));
      specs.add(new Spec(fields, names, position));
    }
    return specs;
  }

  String type() {
    unread.remove("type");
    if (fields.get("type") instanceof String type) {
      return type;
    }
    throw error("type must be a string, got " + fields.get("type"));
  }

  /** The layer's own name, or the stem with the next free number. */
  String name(String stem) {
    unread.remove("name");
    Object given = fields.getOrDefault("name", names.next(stem));
    if (!(given instanceof String name) || !name.matches("[A-Za-z0-9_.-]+")) {
      throw error("name must be made of letters, digits, '_', '.' and '-', got " + given);
    }
    if (!names.taken.add(name)) {
      throw error(
          "name must be unique, got "
              + name
              + " twice; weights that two layers share are not supported, give each its own");
    }
    return name;
  }

  String text(String key) {
    unread.remove(key);
    if (fields.get(key) instanceof String text) {
      return text;
    }
    throw error(key + " must be a string, got " + fields.get(key));
  }

  int number(String key) {
    return number(key, null, 1);
  }

  int number(String key, @Nullable Integer otherwise, int smallest) {
    unread.remove(key);
    Object value = fields.containsKey(key) ? fields.get(key) : otherwise;
    if (value instanceof Number n
        && n.longValue() == n.doubleValue()
        && n.longValue() >= smallest
        && n.longValue() <= 1 << 30) {
      return n.intValue();
    }
    throw error(key + " must be a whole number of at least " + smallest + ", got " + value);
  }

  double real(String key, double otherwise) {
    unread.remove(key);
    Object value = fields.containsKey(key) ? fields.get(key) : otherwise;
    if (value instanceof Number n && Double.isFinite(n.doubleValue())) {
      return n.doubleValue();
    }
    throw error(key + " must be a number, got " + value);
  }

  boolean flag(String key, boolean otherwise) {
    unread.remove(key);
    Object value = fields.containsKey(key) ? fields.get(key) : otherwise;
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw error(key + " must be true or false, got " + value);
  }

  /** One number for all {@code count} axes, or one each. */
  int[] axes(String key, int count, int @Nullable [] otherwise, int smallest) {
    unread.remove(key);
    Object value = fields.get(key);
    if (value == null && otherwise != null) {
      return otherwise;
    }
    int[] axes = new int[count];
    for (int i = 0; i < count; i++) {
      Object axis = value instanceof List<?> list && list.size() == count ? list.get(i) : value;
      if (!(axis instanceof Long n) || n < smallest || n > 1 << 30) {
        throw error(
            key + " must be a whole number of at least " + smallest + " per axis, got " + value);
      }
      axes[i] = n.intValue();
    }
    return axes;
  }

  int[] shape(String key) {
    unread.remove(key);
    return shape(fields.get(key), where + ": " + key);
  }

  static int[] shape(@Nullable Object value, String where) {
    if (!(value instanceof List<?> list) || list.isEmpty() || list.size() > 3) {
      throw new IllegalArgumentException(where + " must be a list of 1 to 3 sizes, got " + value);
    }
    int[] shape = new int[list.size()];
    for (int i = 0; i < shape.length; i++) {
      if (!(list.get(i) instanceof Long n) || n < 1 || n > 1 << 30) {
        throw new IllegalArgumentException(
            where + " must have whole sizes of at least 1, got " + value);
      }
      shape[i] = n.intValue();
    }
    return shape;
  }

  List<Spec> layers(String key) {
    unread.remove(key);
    return fields.containsKey(key) ? list(fields.get(key), names, where + "." + key) : List.of();
  }

  /** After the last field: what nobody asked for is a mistake. */
  void done() {
    if (!unread.isEmpty()) {
      throw error("unknown fields " + unread);
    }
  }

  IllegalArgumentException error(String message) {
    return new IllegalArgumentException(where + ": " + message);
  }
}
