package org.sordino.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * The disk operations that durable files require. Tests implement this interface to make each of
 * them fail.
 *
 * <p>Nothing is durable before {@link Appender#force} or {@link #forceFolder} has returned.
 */
public interface Storage {

  /** Returns the storage on the local disk. */
  static Storage system() {
    return SystemStorage.INSTANCE;
  }

  /**
   * Creates an empty file.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the file exists
   */
  Appender create(Path file) throws IOException;

  /** Opens an existing file to append to it. */
  Appender open(Path file) throws IOException;

  /** Opens a file for reading from its beginning. */
  InputStream read(Path file) throws IOException;

  /** Renames a file and replaces the target, atomically. */
  void replace(Path source, Path target) throws IOException;

  /** Deletes a file if it exists. */
  void delete(Path file) throws IOException;

  /** Makes the names in a folder durable if the platform supports it; otherwise has no effect. */
  void forceFolder(Path folder) throws IOException;

  /** A file that is open for appending. */
  interface Appender extends Closeable {

    /** Passes all bytes to the operating system, in one write if possible. */
    void append(byte[] bytes) throws IOException;

    /** Returns once everything appended or truncated so far would survive a power failure. */
    void force() throws IOException;

    /** Truncates the file to its first {@code size} bytes. */
    void truncate(long size) throws IOException;
  }
}
