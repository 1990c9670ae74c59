package org.sordino.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object that is read strictly. Every field has one type; a value of another type is
 * rejected with a message of the form {@code plan: groups[1].bound must be a number, got "1"}. A
 * field whose value is null counts as absent.
 */
public final class JsonObject {

  private static final int LONGEST = 200;

  private final String name;
  private final String path;
  private final Map<?, ?> fields;

  private JsonObject(String name, String path, Map<?, ?> fields) {
    this.name = name;
    this.path = path;
    this.fields = fields;
  }

  /**
   * Wraps a value that {@link Json} has read.
   *
   * @param name identifies the object in messages; empty if the caller adds its own
   * @throws IllegalArgumentException if the value is not an object
   */
  public static JsonObject of(String name, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return new JsonObject(name, "", map);
    }
    throw new IllegalArgumentException(name + " must be an object {...}, got " + shown(value));
  }

  /**
   * Reads a JSON text.
   *
   * @param name identifies the object in messages; empty if the caller adds its own
   * @throws IllegalArgumentException if the text is not one JSON object
   */
  public static JsonObject read(String name, String text) {
    return of(name, Json.readObject(text));
  }

  /** Returns this object with another name in messages. */
  public JsonObject named(String other) {
    return new JsonObject(other, path, fields);
  }

  /** Throws if there are other fields, which could change the meaning of the known ones. */
  public JsonObject only(String... names) {
    return only(Arrays.asList(names));
  }

  /** Throws if there are other fields, which could change the meaning of the known ones. */
  public JsonObject only(Collection<String> names) {
    for (Object field : fields.keySet()) {
      if (!names.contains(field)) {
        throw new IllegalArgumentException(
            where()
                + " has the unknown field \""
                + field
                + "\", misspelled or from a newer version; known fields: "
                + String.join(", ", names));
      }
    }
    return this;
  }

  /** Returns whether a field is present and not null. */
  public boolean has(String field) {
    return fields.get(field) != null;
  }

  /** Calls {@code action} with the name of a field if it is present. */
  public void ifPresent(String field, Consumer<String> action) {
    if (has(field)) {
      action.accept(field);
    }
  }

  /** Throws if a field is absent, whatever its type. */
  public void require(String field) {
    if (!has(field)) {
      throw wrong(field, "given");
    }
  }

  /** Returns all fields in the order of the text. */
  @SuppressWarnings("unchecked") // objects that Json reads have strings for names
  public Map<String, @Nullable Object> fields() {
    return (Map<String, @Nullable Object>) Collections.unmodifiableMap(fields);
  }

  /** Returns the string in a field. */
  public String text(String field) {
    if (fields.get(field) instanceof String text) {
      return text;
    }
    throw wrong(field, "a string");
  }

  /** Returns the string in a field, or {@code otherwise} if the field is absent. */
  public String text(String field, String otherwise) {
    return has(field) ? text(field) : otherwise;
  }

  /** Returns the string in a field, or null if the field is absent. */
  public @Nullable String optionalText(String field) {
    return has(field) ? text(field) : null;
  }

  /** Returns the whole number in a field. */
  public long integer(String field) {
    if (fields.get(field) instanceof Long number) {
      return number;
    }
    throw wrong(field, "a whole number");
  }

  /**
   * Returns the number in a field, which may be the string {@code "Infinity"}. A literal that is
   * too large for a double, such as 1e400, is rejected: it does not mean infinity.
   */
  public double number(String field) {
    return "Infinity".equals(fields.get(field)) ? Double.POSITIVE_INFINITY : finite(field);
  }

  /** Returns the number in a field, which must be finite. */
  public double finite(String field) {
    if (fields.get(field) instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw wrong(field, "a number");
  }

  /** Returns the finite number in a field, or {@code otherwise} if the field is absent. */
  public double finite(String field, double otherwise) {
    return has(field) ? finite(field) : otherwise;
  }

  /** Returns the truth value in a field. */
  public boolean bool(String field) {
    if (fields.get(field) instanceof Boolean value) {
      return value;
    }
    throw wrong(field, "true or false");
  }

  /** Returns the constant whose {@link #spelling} is in a field. */
  public <E extends Enum<E>> E choice(Class<E> type, String field) {
    for (E constant : type.getEnumConstants()) {
      if (spelling(constant).equals(fields.get(field))) {
        return constant;
      }
    }
    List<String> spellings =
        Arrays.stream(type.getEnumConstants()).map(JsonObject::spelling).toList();
    throw wrong(field, "one of " + String.join(", ", spellings));
  }

  /** Returns the JSON form of an enum constant: {@code after-noise} for {@code AFTER_NOISE}. */
  public static String spelling(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the list in a field. */
  public List<?> list(String field) {
    if (fields.get(field) instanceof List<?> list) {
      return list;
    }
    throw wrong(field, "a list [...]");
  }

  /** Returns the strings of the list in a field. */
  public List<String> texts(String field) {
    List<String> texts = new ArrayList<>();
    for (Object item : list(field)) {
      if (!(item instanceof String text)) {
        throw wrong(field, "a list of strings");
      }
      texts.add(text);
    }
    return List.copyOf(texts);
  }

  /** Returns the numbers of the list in a field; they must be finite. */
  public List<Double> numbers(String field) {
    List<Double> numbers = new ArrayList<>();
    for (Object item : list(field)) {
      if (!(item instanceof Number number) || !Double.isFinite(number.doubleValue())) {
        throw wrong(field, "a list of numbers");
      }
      numbers.add(number.doubleValue());
    }
    return List.copyOf(numbers);
  }

  /** Returns the object in a field. */
  public JsonObject object(String field) {
    if (fields.get(field) instanceof Map<?, ?> map) {
      return new JsonObject(name, path + field + ".", map);
    }
    throw wrong(field, "an object {...}");
  }

  /** Returns the objects of the list in a field. */
  public List<JsonObject> objects(String field) {
    List<JsonObject> objects = new ArrayList<>();
    for (Object item : list(field)) {
      if (!(item instanceof Map<?, ?> map)) {
        throw wrong(field, "a list of objects {...}");
      }
      objects.add(new JsonObject(name, path + field + "[" + objects.size() + "].", map));
    }
    return List.copyOf(objects);
  }

  /**
   * Writes this object on one line. {@link Json#write} would turn a literal that was too large for
   * a double, such as 1e400, into the string {@code "Infinity"}, which as a noise multiplier means
   * an event without cost; such a literal is rejected.
   */
  public String toJson() {
    requireFinite(fields);
    return Json.write(fields);
  }

  private void requireFinite(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.values().forEach(this::requireFinite);
    } else if (value instanceof List<?> list) {
      list.forEach(this::requireFinite);
    } else if (value instanceof Double number && !Double.isFinite(number)) {
      throw new IllegalArgumentException(where() + " has a number that is too large for a double");
    }
  }

  /** Returns the exception for a field that does not have the expected type or range. */
  public IllegalArgumentException wrong(String field, String expected) {
    return new IllegalArgumentException(
        place(path + field) + " must be " + expected + ", got " + shown(fields.get(field)));
  }

  private String where() {
    if (path.isEmpty()) {
      return name.isEmpty() ? "the object" : name;
    }
    return place(path.substring(0, path.length() - 1));
  }

  private String place(String full) {
    return name.isEmpty() ? full : name + ": " + full;
  }

  private static String shown(@Nullable Object value) {
    if (value == null) {
      return "nothing";
    }
    String text = Json.write(value);
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }
}
