package org.sordino.training;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.sordino.ledger.Storage;

/** The file system, with a timer that runs during every operation. */
final class TimedStorage implements Storage {

  private final Storage disk = Storage.system();
  private long nanoseconds;
  private long ledgerNanoseconds;
  private long operations;

  private interface Operation<T> {
    T run() throws IOException;
  }

  private interface Action {
    void run() throws IOException;
  }

  double seconds() {
    return 1e-9 * nanoseconds;
  }

  /** Returns the part of {@link #seconds} spent on writing the ledger and forcing it to disk. */
  double ledgerSeconds() {
    return 1e-9 * ledgerNanoseconds;
  }

  long operations() {
    return operations;
  }

  private <T> T time(Operation<T> operation) throws IOException {
    long begin = System.nanoTime();
    try {
      return operation.run();
    } finally {
      nanoseconds += System.nanoTime() - begin;
      operations++;
    }
  }

  private void act(Action action) throws IOException {
    boolean unused =
        time(
            () -> {
              action.run();
              return true;
            });
  }

  @Override
  public Appender create(Path file) throws IOException {
    return timed(file, time(() -> disk.create(file)));
  }

  @Override
  public Appender open(Path file) throws IOException {
    return timed(file, time(() -> disk.open(file)));
  }

  @Override
  public InputStream read(Path file) throws IOException {
    return time(() -> disk.read(file));
  }

  @Override
  public void replace(Path source, Path target) throws IOException {
    act(() -> disk.replace(source, target));
  }

  @Override
  public void delete(Path file) throws IOException {
    act(() -> disk.delete(file));
  }

  @Override
  public void forceFolder(Path folder) throws IOException {
    act(() -> disk.forceFolder(folder));
  }

  private Appender timed(Path path, Appender file) {
    boolean isLedger = path.getFileName().toString().startsWith("ledger.");
    return new Appender() {
      private void note(Action action) throws IOException {
        long before = nanoseconds;
        act(action);
        ledgerNanoseconds += isLedger ? nanoseconds - before : 0;
      }

      @Override
      public void append(byte[] bytes) throws IOException {
        note(() -> file.append(bytes));
      }

      @Override
      public void force() throws IOException {
        note(file::force);
      }

      @Override
      public void truncate(long size) throws IOException {
        note(() -> file.truncate(size));
      }

      @Override
      public void close() throws IOException {
        note(file::close);
      }
    };
  }
}
