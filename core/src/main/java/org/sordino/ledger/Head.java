package org.sordino.ledger;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;

/**
 * How far a ledger had come: its number of lines, and the checksum of all of them. Kept elsewhere
 * (in a checkpoint, in a statement), it shows later whether lines are missing at the end, which the
 * file alone cannot show.
 *
 * @param lines the number of lines, the header included
 * @param chain the chain value of the last of them, 32 hexadecimal digits
 */
public record Head(long lines, String chain) {

  /** Before the first line; the beginning of every ledger. For resuming without a checkpoint. */
  public static final Head NONE = new Head(0, "0".repeat(2 * Chain.BYTES));

  public Head {
    if (lines < 0) {
      throw new IllegalArgumentException("lines must be at least 0, got " + lines);
    }
    if (!chain.matches("[0-9a-f]{" + 2 * Chain.BYTES + "}")) {
      throw new IllegalArgumentException(
          "chain must be 32 hexadecimal digits in lower case, got " + chain);
    }
  }

  /** One line of JSON; {@link #fromJson} reads it back. */
  public String toJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("lines", lines);
    json.put("chain", chain);
    return Json.write(json);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static Head fromJson(String json) {
    JsonObject head = JsonObject.read("head", json).only("lines", "chain");
    return new Head(head.integer("lines"), head.text("chain"));
  }
}
