package org.sordino.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A disk on which one chosen operation fails, and whose power can be cut. The files are in a real
 * folder. In addition, this class records what would survive a power failure: the content that was
 * forced, under the names that were forced.
 */
public final class FaultyStorage implements Storage {

  /** What a failing operation does before it throws. */
  public enum Fault {
    BEFORE,
    PARTIAL,
    AFTER
  }

  /** The content of a file that is certain to be on disk. */
  private static final class Content {
    private byte[] forced = new byte[0];
  }

  private interface Action {
    void run() throws IOException;
  }

  private final Storage disk = Storage.system();
  private final Map<Path, Content> files = new HashMap<>();
  private Map<Path, Content> durable = new HashMap<>();
  private Fault fault = Fault.BEFORE;
  private long failing = -1;
  private long operations;

  /**
   * Restarts the count of operations, and makes operation number {@code operation} fail; -1 for
   * none.
   */
  public void failAt(long operation, Fault how) {
    operations = 0;
    failing = operation;
    fault = how;
  }

  /** Returns the number of operations since {@link #failAt}. */
  public long operations() {
    return operations;
  }

  /**
   * Cuts the power: each file keeps its forced content, plus a part of the bytes written after it.
   *
   * @param luck fraction of the unforced bytes that survive, in [0, 1]
   */
  public void losePower(double luck) throws IOException {
    Map<Path, byte[]> left = new HashMap<>();
    for (Map.Entry<Path, Content> file : durable.entrySet()) {
      byte[] forced = file.getValue().forced;
      byte[] written =
          files.get(file.getKey()) == file.getValue() ? Files.readAllBytes(file.getKey()) : forced;
      int extra = (int) (luck * Math.max(0, written.length - forced.length));
      left.put(file.getKey(), extra == 0 ? forced : Arrays.copyOf(written, forced.length + extra));
    }
    for (Path file : files.keySet()) {
      Files.deleteIfExists(file);
    }
    files.clear();
    files.putAll(durable);
    for (Map.Entry<Path, byte[]> file : left.entrySet()) {
      Files.write(file.getKey(), file.getValue());
      durable.get(file.getKey()).forced = file.getValue();
    }
  }

  @Override
  public Appender create(Path file) throws IOException {
    perform(
        () -> {
          disk.create(file).close();
          files.put(file, new Content());
        });
    return appender(file);
  }

  @Override
  public Appender open(Path file) throws IOException {
    perform(() -> {});
    return appender(file);
  }

  @Override
  public InputStream read(Path file) throws IOException {
    perform(() -> {});
    return disk.read(file);
  }

  @Override
  public void replace(Path source, Path target) throws IOException {
    perform(
        () -> {
          disk.replace(source, target);
          files.put(target, files.remove(source));
        });
  }

  @Override
  public void delete(Path file) throws IOException {
    perform(
        () -> {
          disk.delete(file);
          files.remove(file);
        });
  }

  @Override
  public void forceFolder(Path folder) throws IOException {
    perform(() -> durable = new HashMap<>(files));
  }

  private void perform(Action action) throws IOException {
    boolean fails = operations++ == failing;
    if (!fails || fault == Fault.AFTER) {
      action.run();
    }
    if (fails) {
      throw new IOException("fault " + fault + " operation " + failing);
    }
  }

  private Appender appender(Path path) throws IOException {
    Appender file = disk.open(path);
    return new Appender() {
      @Override
      public void append(byte[] bytes) throws IOException {
        if (operations == failing && fault == Fault.PARTIAL) {
          file.append(Arrays.copyOf(bytes, bytes.length / 2));
        }
        perform(() -> file.append(bytes));
      }

      @Override
      public void force() throws IOException {
        perform(() -> files.get(path).forced = Files.readAllBytes(path));
      }

      @Override
      public void truncate(long size) throws IOException {
        perform(() -> file.truncate(size));
      }

      @Override
      public void close() throws IOException {
        file.close(); // in any case, so that tests leave nothing open
        perform(() -> {});
      }
    };
  }
}
