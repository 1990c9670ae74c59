package org.sordino.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive lock for writing a ledger, among all processes. The operating system releases it
 * when the process ends, for whatever reason.
 *
 * <p>POSIX drops a process's lock on a file as soon as the process closes <em>any</em> descriptor
 * of that file. The lock is therefore on a separate file next to the ledger, which has no other
 * use, and a second request from this JVM is answered from {@link #HELD}, without opening the file.
 * Releasing the lock does not delete the lock file: otherwise two processes could lock two files of
 * the same name.
 */
final class RunLock implements Closeable {

  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /**
   * Channels that stay open, because closing them would drop a lock that another class loader of
   * this JVM holds.
   */
  private static final Queue<FileChannel> KEPT_OPEN = new ConcurrentLinkedQueue<>();

  private final Path file;
  private final FileChannel channel;

  private RunLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock of a ledger.
   *
   * @throws LedgerLockedException if it is already held
   */
  static RunLock acquire(Path ledger) throws IOException {
    Path file = lockFile(ledger);
    if (!HELD.add(file)) {
      throw new LedgerLockedException(ledger, "in this process");
    }
    RunLock lock = null;
    try {
      lock = open(ledger, file);
      return lock;
    } finally {
      if (lock == null) {
        HELD.remove(file);
      }
    }
  }

  private static RunLock open(Path ledger, Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    @Nullable FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      KEPT_OPEN.add(channel);
      throw new LedgerLockedException(ledger, "in this process");
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    if (lock == null) {
      channel.close();
      throw new LedgerLockedException(ledger, "in another process");
    }
    return new RunLock(file, channel);
  }

  /** Returns the lock file, the same one for every spelling of the ledger's path. */
  private static Path lockFile(Path ledger) throws IOException {
    Path real =
        Files.exists(ledger)
            ? ledger.toRealPath()
            : DurableFiles.folderOf(ledger).toRealPath().resolve(ledger.getFileName());
    return real.resolveSibling(real.getFileName() + ".lock");
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(file);
    }
  }
}
