package org.sordino.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * An append-only log of what a run does to private records. The mechanism writes it and the
 * accountant reads it; it is the only connection between the two.
 *
 * <p><b>Order of calls.</b> {@link #reserve} steps, then execute them, then release results. A
 * reservation is on disk when {@code reserve} returns, so a crash can only make the ledger count
 * too much. Every reservation counts. {@link #restart} begins another attempt, in which
 * reservations of the same steps count again. {@link #finish} cancels what the last attempt
 * reserved but did not use.
 *
 * <p><b>Format</b>, version 1: UTF-8, one JSON object per line, each line ended by a line feed. The
 * first line is the header, {@code {"ledger":"sordino","version":1,...}}; the others are entries,
 * {@code {"entry":"reserve",...}}. The last field of every line is {@code "chain"}: the first 16
 * bytes of SHA-256(chain of the previous line || this line up to, and without, {@code ,"chain"}),
 * in hexadecimal. For the first line, the previous chain is 16 zero bytes. Unknown kinds and fields
 * are rejected. The chain detects damage, not forgery. docs/reference/ledger-format.md has the
 * details.
 *
 * <p><b>Failures.</b> Only one {@code Ledger} in one process can have a file open. After a failed
 * write, the content of the file is unknown and every further call throws; {@link #resume} reads
 * what was written. All methods are thread-safe.
 */
public final class Ledger implements AutoCloseable {

  private enum State {
    OPEN,
    BROKEN,
    CLOSED
  }

  private final Storage storage;
  private final Path path;
  private final Storage.Appender file;
  private final Closeable lock;
  private State state = State.OPEN;
  private Chain chain;
  private LedgerState progress;

  /** The head after the last line that is certain to be on disk. */
  private Head durable;

  /** One more than the last step of this attempt for which {@link #realized} was called. */
  private long executed;

  private Ledger(
      Storage storage,
      Path path,
      Storage.Appender file,
      Closeable lock,
      Chain chain,
      LedgerState progress) {
    this.storage = storage;
    this.path = path;
    this.file = file;
    this.lock = lock;
    this.chain = chain;
    this.progress = progress;
    this.durable = chain.head();
  }

  /**
   * Creates a ledger; its header is durable on return.
   *
   * @param file path of the new file, in an existing folder
   * @throws LedgerLockedException if the run has another writer
   * @throws LedgerWriteException if the file exists or cannot be written
   */
  public static Ledger create(Path file, Header header) {
    return create(Storage.system(), file, header);
  }

  /** As {@link #create(Path, Header)}, with another storage. */
  public static Ledger create(Storage storage, Path file, Header header) {
    return opened(
        file,
        "created",
        lock -> {
          if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(file.toString());
          }
          return begin(storage, file, lock, header);
        });
  }

  /**
   * Creates a ledger that is never written to disk, for callers without a run directory. The same
   * rules apply.
   */
  public static Ledger inMemory(Header header) {
    try {
      return begin(new MemoryStorage(), Path.of("in memory"), () -> {}, header);
    } catch (IOException e) {
      throw new LedgerWriteException("ledger in memory cannot be created", e);
    }
  }

  /**
   * Opens a ledger to continue it after its writer has ended, normally or not. A line that a crash
   * cut off is removed: it was never durable, so nothing was released from it. Everything in the
   * file is durable on return.
   *
   * <p>A finished ledger can be resumed too, since a run may be killed after {@link #finish}. It
   * accepts no more entries, but finishing it again with the same number of steps has no effect.
   *
   * @param known head that was recorded earlier, usually in the checkpoint from which the run
   *     resumes; {@link Head#NONE} without a checkpoint
   * @throws LedgerDamagedException if the file is damaged, or does not begin with the lines that
   *     {@code known} covers; the file is then left unchanged
   * @throws LedgerLockedException if the run has another writer
   * @throws LedgerWriteException if the file cannot be written
   */
  public static Ledger resume(Path file, Head known) {
    return resume(Storage.system(), file, known);
  }

  /** As {@link #resume(Path, Head)}, with another storage. */
  public static Ledger resume(Storage storage, Path file, Head known) {
    return opened(file, "resumed", lock -> proceed(storage, file, lock, known));
  }

  /**
   * Reads a ledger and verifies every line. Takes no lock: while a run is writing the file, its
   * last line may appear cut off.
   *
   * @param known heads that were recorded earlier. The ledger must begin with the lines that each
   *     of them covers, so missing lines at the end are detected
   * @throws LedgerDamagedException if anything is wrong, even if only the last line is cut off
   */
  public static LedgerContents read(Path file, Head... known) {
    return LedgerScan.read(Storage.system(), file, List.of(known));
  }

  /**
   * Reserves steps: each of the steps {@code from} to {@code from + count - 1} of this attempt will
   * apply {@code perStep} to the records. Durable on return; the steps must not be executed before.
   *
   * @param from first step that is not yet reserved
   * @throws IllegalArgumentException if {@code from} is another step; nothing was written
   * @throws LedgerWriteException if the reservation may not be durable; the steps must not be
   *     executed
   */
  public synchronized void reserve(PrivacyEvent perStep, long from, long count) {
    write(new Entry.Reserve(from, count, perStep), true);
  }

  /**
   * Records a query outside the steps, such as a private mean before training. Durable on return;
   * the answer must not be computed before.
   */
  public synchronized void query(String name, PrivacyEvent event) {
    write(new Entry.Query(name, event), true);
  }

  /**
   * Records the absolute bounds and noise of a step. A line is written only if they differ from
   * those recorded last, or if those were recorded for a later step. If they imply a smaller noise
   * multiplier than the reservation, the smaller one counts. The line becomes durable with the next
   * durable entry, or on {@link #close}.
   *
   * @param step a reserved step. In a finished ledger that was resumed, the steps of the run are
   *     ignored: they are replayed bit for bit, and their values were written before
   */
  public synchronized void realized(long step, List<Realized> groups) {
    if (progress.isFinished() && state == State.OPEN && step >= 0 && step < progress.finished()) {
      return;
    }
    requireOpen();
    progress.requireReserved(step);
    if (!progress.isRealized(step, groups)) {
      write(new Entry.RealizedEntry(step, groups), false);
    }
    executed = Math.max(executed, step + 1);
  }

  /**
   * Begins another attempt: the steps from {@code from} on are run again, with fresh randomness.
   * Their earlier reservations remain spent, and they must be reserved again. Durable on return.
   *
   * @param from first step to run again, at most the number of reserved steps
   * @param reason reason, for human readers
   */
  public synchronized void restart(long from, String reason) {
    write(new Entry.Restart(from, reason), true);
    executed = 0;
  }

  /**
   * Ends the run; durable on return. Reservations of the last attempt from step {@code steps} on
   * are canceled.
   *
   * @param steps number of steps of the run. No process may have executed step {@code steps} or a
   *     later step of the last attempt, not even a process that was killed and whose steps were
   *     replayed
   */
  public synchronized void finish(long steps) {
    if (state == State.OPEN && progress.isFinished() && progress.finished() == steps) {
      return;
    }
    requireOpen();
    if (steps < executed) {
      throw new IllegalArgumentException(
          "steps must be at least the number of executed steps, " + executed + ", got " + steps);
    }
    write(new Entry.Finish(steps), true);
  }

  /**
   * Returns the head of all lines that are certain to be on disk. A checkpoint that stores it
   * cannot be ahead of the file after a power failure.
   */
  public synchronized Head head() {
    return durable;
  }

  /** Returns the contents of this ledger, as {@link #read} does. */
  public synchronized LedgerContents contents() {
    requireUsable();
    return LedgerScan.read(storage, path, List.of(durable));
  }

  /** Makes all entries durable and releases the lock. A second call has no effect. */
  @Override
  public synchronized void close() {
    if (state == State.CLOSED) {
      return;
    }
    boolean pending = state == State.OPEN && !durable.equals(chain.head());
    state = State.CLOSED;
    try (lock;
        file) {
      if (pending) {
        file.force();
        durable = chain.head();
      }
    } catch (IOException e) {
      throw new LedgerWriteException("ledger " + path + " could not be closed: " + e, e);
    }
  }

  private interface Opening {
    Ledger open(Closeable lock) throws IOException;
  }

  /** Takes the lock, and releases it if no ledger was opened. */
  private static Ledger opened(Path path, String what, Opening opening) {
    try {
      RunLock lock = RunLock.acquire(path);
      Ledger ledger = null;
      try {
        ledger = opening.open(lock);
        return ledger;
      } finally {
        if (ledger == null) {
          lock.close();
        }
      }
    } catch (FileAlreadyExistsException e) {
      throw new LedgerWriteException(
          "ledger " + path + " already exists; resume that run, or choose another directory", e);
    } catch (IOException e) {
      throw new LedgerWriteException("ledger " + path + " cannot be " + what + ": " + e, e);
    }
  }

  private static Ledger begin(Storage storage, Path path, Closeable lock, Header header)
      throws IOException {
    String content = EntryJson.write(header);
    requireSame(header, EntryJson.readHeader(content));
    Line line = Line.of(Chain.start(), content);
    try {
      // In one operation: a file without its header, which a kill would leave, could not be
      // resumed.
      DurableFiles.replace(storage, path, line.bytes());
      Storage.Appender file = storage.open(path);
      return new Ledger(storage, path, file, lock, line.chain(), LedgerState.START);
    } catch (IOException | RuntimeException | Error e) {
      // No caller has received this ledger, so it contains no entries. The file would only block
      // the next attempt.
      try {
        storage.delete(path);
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private static Ledger proceed(Storage storage, Path path, Closeable lock, Head known)
      throws IOException {
    LedgerScan scan = LedgerScan.forResuming(storage, path, known);
    Storage.Appender file = storage.open(path);
    try {
      switch (scan.tail()) {
        case TORN -> file.truncate(scan.size());
        case UNTERMINATED -> file.append(new byte[] {'\n'});
        case NONE -> {}
      }
      // The writer may have been killed between writing and forcing. Its lines count from now on.
      file.force();
      storage.forceFolder(DurableFiles.folderOf(path));
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
    return new Ledger(storage, path, file, lock, scan.chain(), scan.state());
  }

  private void write(Entry entry, boolean force) {
    requireOpen();
    LedgerState next = progress.after(entry);
    String content = EntryJson.write(entry);
    requireSame(entry, EntryJson.read(content));
    Line line = Line.of(chain, content);
    append(line.bytes(), force);
    chain = line.chain();
    progress = next;
    if (force) {
      durable = chain.head();
    }
  }

  private void append(byte[] line, boolean force) {
    state = State.BROKEN; // until the write has succeeded, whatever is thrown
    try {
      file.append(line);
      if (force) {
        file.force();
      }
    } catch (IOException e) {
      throw new LedgerWriteException(
          "ledger "
              + path
              + " could not be written: "
              + e
              + "; release nothing, close the ledger and resume the run",
          e);
    }
    state = State.OPEN;
  }

  private static void requireSame(Object written, Object read) {
    if (!written.equals(read)) {
      throw new IllegalArgumentException(
          "a line of a ledger must be equal to its entry when read back, got " + written);
    }
  }

  private void requireUsable() {
    if (state == State.CLOSED) {
      throw new IllegalStateException("ledger " + path + " is closed; resume the run");
    }
    if (state == State.BROKEN) {
      throw new IllegalStateException(
          "ledger "
              + path
              + " cannot be used after a failed write, because the content of the file is unknown;"
              + " release nothing, close the ledger and resume the run");
    }
  }

  private void requireOpen() {
    requireUsable();
    if (progress.isFinished()) {
      throw new IllegalStateException(
          "ledger " + path + " is finished and accepts no more entries; start a new run");
    }
  }
}
