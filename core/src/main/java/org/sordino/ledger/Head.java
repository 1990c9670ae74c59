package org.sordino.ledger;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;

/**
 * The extent of a ledger at some moment: its number of lines, and the checksum of all of them. A
 * copy in another file (a checkpoint, a statement) later shows whether lines are missing at the
 * end, which the ledger alone cannot show.
 *
 * @param lines number of lines, including the header
 * @param chain chain value of the last line, 32 hexadecimal digits
 */
public record Head(long lines, String chain) {

  /**
   * The head before the first line, which matches every ledger. Used to resume without a
   * checkpoint.
   */
  public static final Head NONE = new Head(0, "0".repeat(2 * Chain.BYTES));

  public Head {
    if (lines < 0) {
      throw new IllegalArgumentException("lines must be at least 0, got " + lines);
    }
    if (!chain.matches("[0-9a-f]{" + 2 * Chain.BYTES + "}")) {
      throw new IllegalArgumentException(
          "chain must be 32 lower-case hexadecimal digits, got " + chain);
    }
  }

  /** Returns this head as statements and reports show it. */
  public String describe() {
    return lines + " lines, chain " + chain;
  }

  /** Returns this head as one line of JSON; {@link #fromJson} reads it back. */
  public String toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("lines", lines);
    json.put("chain", chain);
    return Json.write(json);
  }

  /**
   * Reads the result of {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text is not a head
   */
  public static Head fromJson(String json) {
    JsonObject head = JsonObject.read("head", json).only("lines", "chain");
    return new Head(head.integer("lines"), head.text("chain"));
  }
}
