package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.Storage;

/** Durable files of a run, with failures that say which. */
final class RunFiles {

  private RunFiles() {}

  static void replace(Storage storage, Path file, byte[] content) {
    try {
      DurableFiles.replace(storage, file, content);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
