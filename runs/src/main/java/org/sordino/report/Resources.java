package org.sordino.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Reads the resource files of the jar. */
public final class Resources {

  private Resources() {}

  /**
   * Returns the text of a resource file.
   *
   * @param path path relative to this package, or absolute with a leading slash
   */
  public static String text(String path) {
    try (InputStream in = Resources.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the jar does not contain " + path + "; rebuild it");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the version of Sordino or of a bundled library.
   *
   * @param of {@code sordino}, or the name of the library
   * @return the version, or {@code unknown}
   */
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
