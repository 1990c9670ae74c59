package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sordino.run.InvalidInputException;

/** Writes the output files named by options. */
final class OutputFiles {

  private OutputFiles() {}

  /** Checks in advance that a file can be written. */
  static void check(String option, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw InvalidInputException.of(
          option, "in a folder that exists", file.toString(), "create the folder");
    }
    if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : folder)) {
      throw InvalidInputException.of(
          option, "a file that can be written", file.toString(), "choose another file");
    }
  }

  /** Creates a folder and its parents. */
  static void makeFolder(String option, Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw InvalidInputException.of(
          option, "a folder that can be created", folder.toString(), reason(e));
    }
  }

  static void write(String option, Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw InvalidInputException.of(
          option, "a file that can be written", file.toString(), reason(e));
    }
  }

  private static String reason(IOException e) {
    return "check the location (" + e.getClass().getSimpleName() + ": " + e.getMessage() + ")";
  }
}
