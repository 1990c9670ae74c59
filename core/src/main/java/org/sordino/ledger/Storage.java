package org.sordino.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * The few things that a durable file needs of the disk, so that tests can make each of them fail.
 *
 * <p>Nothing counts as durable before {@link Appender#force} or {@link #forceFolder} has returned.
 */
public interface Storage {

  /** The disk of this computer. */
  static Storage system() {
    return SystemStorage.INSTANCE;
  }

  /**
   * Creates an empty file.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one
   */
  Appender create(Path file) throws IOException;

  /** Opens a file that exists, to write behind its end. */
  Appender open(Path file) throws IOException;

  /** Opens a file to read it from its beginning. */
  InputStream read(Path file) throws IOException;

  /** Renames a file, in one step that replaces the target. */
  void replace(Path source, Path target) throws IOException;

  /** Deletes a file if it exists. */
  void delete(Path file) throws IOException;

  /** Makes names in a folder durable, where the platform can; elsewhere does nothing. */
  void forceFolder(Path folder) throws IOException;

  /** An open file that grows at its end. */
  interface Appender extends Closeable {

    /** Hands all bytes to the operating system, if possible at once. */
    void append(byte[] bytes) throws IOException;

    /** Returns when everything appended or truncated so far would survive a loss of power. */
    void force() throws IOException;

    /** Cuts the file to its first {@code size} bytes. */
    void truncate(long size) throws IOException;
  }
}
