package org.sordino.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;

/** Runs commands in the process of the test. */
public final class Console {

  private Console() {}

  /** The exit code and output of a command. */
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

  /** Runs a command line, split at white space; quotes are not supported. */
  public static Outcome line(String line) {
    return run(line.isBlank() ? new String[0] : line.strip().split("\\s+"));
  }
}
