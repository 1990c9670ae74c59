package org.sordino.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the jars of this process that executors need: Sordino and its libraries, but not Spark,
 * which executors have. It works for a single jar, as built for the command line, and for one jar
 * per module and library, as in a Maven project.
 */
final class ExecutorJars {

  /** Packages whose jars are sent; the last one is present only if networks can be trained. */
  private static final List<String> PACKAGES =
      List.of(
          "org/sordino/",
          "de/siegmar/fastcsv/",
          "tools/jackson/core/",
          "org/apache/commons/numbers/",
          "org/bytedeco/");

  private ExecutorJars() {}

  /**
   * Returns the locations of the jars. Folders of classes, as in a development tree, are omitted.
   */
  static Set<String> find() {
    Set<String> jars = new LinkedHashSet<>();
    for (String name : PACKAGES) {
      for (URL place : places(name)) {
        addJar(place, jars);
      }
    }
    return jars;
  }

  /**
   * Returns the locations of a package. Jars have entries for packages, even for those without
   * classes.
   */
  private static List<URL> places(String name) {
    try {
      return Collections.list(ExecutorJars.class.getClassLoader().getResources(name));
    } catch (IOException e) {
      throw new UncheckedIOException("the class path cannot be read: " + e, e);
    }
  }

  private static void addJar(URL place, Set<String> jars) {
    try {
      URLConnection connection = place.openConnection();
      if (connection instanceof JarURLConnection jar) {
        jars.add(jar.getJarFileURL().toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(place + " cannot be read: " + e, e);
    }
  }
}
