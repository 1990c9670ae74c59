package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.Storage;

/** Writes the files of a run durably, with errors that name the file. */
final class RunFiles {

  private RunFiles() {}

  /**
   * Creates a folder and its parents durably. If a folder were lost, all files in it would be lost.
   */
  static void createFolder(Storage storage, Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(folder)) {
      createFolder(storage, parent);
      Files.createDirectories(folder);
      storage.forceFolder(parent);
    }
  }

  static void replace(Storage storage, Path file, byte[] content) {
    try {
      DurableFiles.replace(storage, file, content);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
