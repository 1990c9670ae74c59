package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.Storage;

/** Durable files of a run, with failures that say which. */
final class RunFiles {

  private RunFiles() {}

  /** Makes a folder and those above it, durably: with a folder, all that is in it would be lost. */
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
