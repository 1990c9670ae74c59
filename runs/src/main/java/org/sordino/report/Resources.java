package org.sordino.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** The files inside the jar. */
public final class Resources {

  private Resources() {}

  /** The text of a file, by its path relative to this package, or absolute with a slash. */
  public static String text(String path) {
    try (InputStream in = Resources.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + path + "; build it again");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The version of Sordino, or of a library that has to be found by its version. */
  public static String version(String of) {
    Properties versions = new Properties();
    try {
      versions.load(new StringReader(text("versions.properties")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return versions.getProperty(of, "unknown");
  }
}
