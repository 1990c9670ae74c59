package org.sordino.ledger;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Replaces whole files. After a crash at any moment, a file has either the old content or the new.
 */
public final class DurableFiles {

  private DurableFiles() {}

  /** As {@link #replace(Storage, Path, byte[])}, on the local disk. */
  public static void replace(Path target, byte[] content) throws IOException {
    replace(Storage.system(), target, content);
  }

  /**
   * Replaces the content of a file, or creates the file; durable on return.
   *
   * <p>The content is first written to {@code <target>.tmp} in the same folder. A crash may leave
   * that file behind; the next call overwrites it. Two threads must not replace the same file at
   * the same time.
   *
   * @throws IOException if an operation failed; the target then has either the complete old content
   *     or the complete new content
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
