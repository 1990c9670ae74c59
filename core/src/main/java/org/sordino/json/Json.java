package org.sordino.json;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * Reads and writes JSON without loss.
 *
 * <p>Objects become insertion-ordered {@link Map}s, arrays {@link List}s, whole numbers {@link
 * Long}s and all others {@link Double}s. A double is written in the shortest form that reads back
 * to the same bits; JSON has no infinities and no NaN, so those are written as the strings {@code
 * "Infinity"}, {@code "-Infinity"} and {@code "NaN"}.
 */
public final class Json {

  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private Json() {}

  /**
   * Reads one JSON value.
   *
   * @throws IllegalArgumentException if the text is not one complete JSON value
   */
  public static @Nullable Object read(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      Object value = value(parser, parser.nextToken());
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("JSON must end after its first value, got more text");
      }
      return value;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "JSON must be well-formed, got an error in line %d, column %d: %s"
              .formatted(
                  e.getLocation().getLineNr(),
                  e.getLocation().getColumnNr(),
                  e.getOriginalMessage().replaceFirst("(?s) ?[\\[(]?[Ss]ource: .*", "")),
          e);
    }
  }

  /** Reads a JSON object. */
  @SuppressWarnings("unchecked") // read() builds every map with String keys
  public static Map<String, @Nullable Object> readObject(String text) {
    if (read(text) instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new IllegalArgumentException("JSON must be an object {...}, got " + abbreviate(text));
  }

  /** Writes a value made of maps, lists, strings, numbers, booleans and nulls, on one line. */
  public static String write(@Nullable Object value) {
    return write(value, ObjectWriteContext.empty());
  }

  /** As {@link #write(Object)}, indented for human readers. */
  public static String writePretty(@Nullable Object value) {
    return write(
        value,
        new ObjectWriteContext.Base() {
          @Override
          public DefaultPrettyPrinter getPrettyPrinter() {
            return new DefaultPrettyPrinter();
          }
        });
  }

  private static String write(@Nullable Object value, ObjectWriteContext context) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(context, out)) {
      write(generator, value);
    }
    return out.toString();
  }

  private static void write(JsonGenerator out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeName(String.valueOf(entry.getKey()));
        write(out, entry.getValue());
      }
      out.writeEndObject();
    } else if (value instanceof Iterable<?> list) {
      out.writeStartArray();
      for (Object item : list) {
        write(out, item);
      }
      out.writeEndArray();
    } else if (value instanceof Double number && !Double.isFinite(number)) {
      out.writeString(number.toString());
    } else if (value instanceof Double number) {
      out.writeNumber(number.doubleValue());
    } else if (value instanceof Long || value instanceof Integer) {
      out.writeNumber(((Number) value).longValue());
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof String string) {
      out.writeString(string);
    } else if (value == null) {
      out.writeNull();
    } else {
      throw new IllegalArgumentException(
          "JSON value must be a map, list, string, number or boolean, got "
              + value.getClass().getName());
    }
  }

  private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token) {
    if (token == null) {
      throw new IllegalArgumentException("JSON must contain a value, got the end of the text");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IllegalArgumentException("JSON has an unexpected token " + token);
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      map.put(name, value(parser, parser.nextToken()));
    }
    return map;
  }

  private static List<@Nullable Object> array(JsonParser parser) {
    List<@Nullable Object> list = new ArrayList<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
      list.add(value(parser, t));
    }
    return list;
  }

  private static String abbreviate(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }
}
