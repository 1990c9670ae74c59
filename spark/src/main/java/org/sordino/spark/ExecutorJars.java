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
 * Finds the jars that executors need from this process: Sordino and its libraries, but not Spark,
 * which they have. It makes no difference whether they are one jar, as for the command line, or one
 * per module and library, as in a Maven project.
 */
final class ExecutorJars {

  /** A jar with one of these packages is sent; the last one exists if networks can be trained. */
  private static final List<String> PACKAGES =
      List.of(
          "org/sordino/",
          "de/siegmar/fastcsv/",
          "tools/jackson/core/",
          "org/apache/commons/numbers/",
          "org/bytedeco/");

  private ExecutorJars() {}

  /** Returns their locations; folders of classes, as in a development tree, are left out. */
  static Set<String> find() {
    Set<String> jars = new LinkedHashSet<>();
    for (String name : PACKAGES) {
      for (URL place : places(name)) {
        addJar(place, jars);
      }
    }
    return jars;
  }

  /** Jars list their packages as entries of their own, also those without any class. */
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
