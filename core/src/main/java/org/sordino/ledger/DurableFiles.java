package org.sordino.ledger;

import java.io.IOException;
import java.nio.file.Path;

/** Replaces whole files so that a crash at any moment leaves the old content or the new. */
public final class DurableFiles {

  private DurableFiles() {}

  /** As {@link #replace(Storage, Path, byte[])}, on the disk of this computer. */
  public static void replace(Path target, byte[] content) throws IOException {
    replace(Storage.system(), target, content);
  }

  /**
   * Replaces a file by new content, or creates it; durable on return.
   *
   * <p>The content goes to {@code <target>.tmp} in the same folder first, where a crash may leave
   * it; the next call overwrites it. Two threads must not replace the same file at the same time.
   *
   * @throws IOException if it failed; the target then holds all of the old content or all of the
   *     new
   */
  public static void replace(Storage storage, Path target, byte[] content) throws IOException {
    Path absolute = target.toAbsolutePath();
    Path temporary = absolute.resolveSibling(absolute.getFileName() + ".tmp");
    storage.delete(temporary);
    try (Storage.Appender file = storage.create(temporary)) {
      file.append(content);
      file.force();
    }
    storage.replace(temporary, absolute);
    storage.forceFolder(folderOf(absolute));
  }

  static Path folderOf(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IllegalArgumentException("file must have a name inside a folder, got " + file);
    }
    return folder;
  }
}
