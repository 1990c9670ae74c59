package org.sordino.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The storage on the local disk.
 *
 * <p>An interrupt closes a {@link FileChannel} in the middle of a write. Canceling a thread would
 * then make the ledger unusable. Bytes are therefore written through a {@link RandomAccessFile}.
 * Forcing can safely be repeated, and is repeated when interrupted.
 */
final class SystemStorage implements Storage {

  static final SystemStorage INSTANCE = new SystemStorage();

  private SystemStorage() {}

  @Override
  public Appender create(Path file) throws IOException {
    Files.createFile(file);
    return open(file);
  }

  @Override
  public Appender open(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString()); // "rw" would create it
    }
    RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
    try {
      opened.seek(opened.length());
    } catch (IOException e) {
      opened.close();
      throw e;
    }
    return new SystemAppender(file, opened);
  }

  @Override
  public InputStream read(Path file) throws IOException {
    return Files.newInputStream(file);
  }

  @Override
  public void replace(Path source, Path target) throws IOException {
    Files.move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void forceFolder(Path folder) throws IOException {
    try {
      FileChannel.open(folder, StandardOpenOption.READ).close();
    } catch (IOException e) {
      return; // Windows cannot open folders; its file system keeps names in a journal
    }
    force(folder, StandardOpenOption.READ);
  }

  private static void force(Path path, StandardOpenOption option) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(path, option)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private record SystemAppender(Path path, RandomAccessFile file) implements Appender {

    @Override
    public void append(byte[] bytes) throws IOException {
      file.write(bytes);
    }

    @Override
    public void force() throws IOException {
      // By name, so that a file that was deleted during the run is detected.
      SystemStorage.force(path, StandardOpenOption.WRITE);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.setLength(size);
      file.seek(size);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
