package org.sordino.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/** Runs commands within the test's own process. */
public final class Console {

  private Console() {}

  /** What a command did. */
  public record Outcome(int code, String out, String err) {

    public Map<String, @Nullable Object> json() {
      return Json.readObject(out);
    }

    public double number(String key) {
      return (Double) json().get(key);
    }
  }

  public static Outcome run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
    return new Outcome(code, out.toString(), err.toString());
  }

  /** For command lines without quotes. */
  public static Outcome line(String line) {
    return run(line.isBlank() ? new String[0] : line.strip().split("\\s+"));
  }
}
