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
 * The append-only list of what a run does to private records: where the mechanism writes and the
 * accountant reads, and the only place where the two meet.
 *
 * <p><b>Order of things.</b> {@link #reserve} steps, then execute them, then show results. A
 * reservation is on disk when {@code reserve} returns, so a crash can only count too much. Every
 * reservation counts. {@link #restart} begins another attempt, whose reservations of the same steps
 * count again; {@link #finish} gives back what the last attempt reserved and did not use.
 *
 * <p><b>Format</b>, version 1: UTF-8, one JSON object per line, each line ended by a line feed. The
 * first is the header, {@code {"ledger":"sordino","version":1,...}}; the others are entries, {@code
 * {"entry":"reserve",...}}. The last field of every line is {@code "chain"}: the first 16 bytes of
 * SHA-256(chain of the line before || this line up to, and without, {@code ,"chain"}), in
 * hexadecimal; the first line takes 16 zero bytes for the chain before it. Unknown kinds and fields
 * are refused. The chain detects damage, not a forger. docs/reference/ledger-format.md has the
 * details.
 *
 * <p><b>Failures.</b> Only one ledger in one process may be open on a file. When a write fails,
 * what the file holds is unknown, and every further call is refused; {@link #resume} finds out. All
 * methods may be called from any thread.
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

  /** Behind the last line that is certain to be on disk. */
  private Head durable;

  /** This object was told that the attempt executed the steps before this one. */
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
   * Begins a ledger; its header is durable on return.
   *
   * @param file must not exist, in a folder that does
   * @throws LedgerLockedException if the run has another writer
   * @throws LedgerWriteException if the file exists or cannot be written
   */
  public static Ledger create(Path file, Header header) {
    return create(Storage.system(), file, header);
  }

  /** As {@link #create(Path, Header)}, on another storage. */
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
   * Begins a ledger that is never written to disk, for callers without a run directory: the same
   * rules, and gone with the process.
   */
  public static Ledger inMemory(Header header) {
    try {
      return begin(new MemoryStorage(), Path.of("in memory"), () -> {}, header);
    } catch (IOException e) {
      throw new LedgerWriteException("ledger in memory cannot be created", e);
    }
  }

  /**
   * Continues a ledger after its writer has ended, in whatever way. A line that a crash cut off is
   * removed: it never became durable, so nothing was released from it. Everything that is then in
   * the file is durable on return.
   *
   * <p>A finished ledger can be resumed too, since a run may be killed behind {@link #finish}. It
   * takes no more entries, but finishing it again with the same number of steps does nothing.
   *
   * @param known a head that was noted earlier, usually in the checkpoint that is resumed; {@link
   *     Head#NONE} if there is none
   * @throws LedgerDamagedException if the file is damaged, or does not begin with what {@code
   *     known} saw; the file is then left as it is
   * @throws LedgerLockedException if the run has another writer
   * @throws LedgerWriteException if the file cannot be written
   */
  public static Ledger resume(Path file, Head known) {
    return resume(Storage.system(), file, known);
  }

  /** As {@link #resume(Path, Head)}, on another storage. */
  public static Ledger resume(Storage storage, Path file, Head known) {
    return opened(file, "resumed", lock -> proceed(storage, file, lock, known));
  }

  /**
   * Reads a ledger and verifies every line. It takes no lock; of a run that is just being written,
   * the last line may look cut off.
   *
   * @param known heads that were recorded earlier. The ledger must begin with what each of them
   *     saw, so that lines missing at its end are noticed
   * @throws LedgerDamagedException if anything is wrong, even if only the last line is cut off
   */
  public static LedgerContents read(Path file, Head... known) {
    return LedgerScan.read(Storage.system(), file, List.of(known));
  }

  /**
   * Announces that steps {@code from} to {@code from + count - 1} of this attempt will each do
   * {@code perStep} to the records; durable on return. Only then may they be executed.
   *
   * @param from the first step that is not reserved yet
   * @throws IllegalArgumentException if it is another step; nothing was written
   * @throws LedgerWriteException if it may not be durable; the steps must not be executed
   */
  public synchronized void reserve(PrivacyEvent perStep, long from, long count) {
    write(new Entry.Reserve(from, count, perStep), true);
  }

  /**
   * Announces a query outside the steps, such as a private mean before training; durable on return.
   * Only then may the answer be computed.
   */
  public synchronized void query(String name, PrivacyEvent event) {
    write(new Entry.Query(name, event), true);
  }

  /**
   * Notes the absolute bounds and deviations of a step. A line is written only if they are not
   * those of the step before, so that constant ones cost nothing; it becomes durable with the next
   * entry that does, or on {@link #close}.
   *
   * @param step one that is reserved. In a finished ledger that was resumed, the steps of the run
   *     are ignored: they are done again to the bit, and their values were written before
   */
  public synchronized void realized(long step, List<Realized> groups) {
    if (progress.isFinished() && state == State.OPEN && step >= 0 && step < progress.finished()) {
      return;
    }
    requireOpen();
    progress.requireReserved(step);
    if (!progress.isRealized(groups)) {
      write(new Entry.RealizedEntry(step, groups), false);
    }
    executed = Math.max(executed, step + 1);
  }

  /**
   * Begins another attempt: the steps from {@code from} on are run again, with fresh randomness.
   * Their earlier reservations stay spent, and they must be reserved again; durable on return.
   *
   * @param from at most the number of reserved steps
   * @param reason why, for people
   */
  public synchronized void restart(long from, String reason) {
    write(new Entry.Restart(from, reason), true);
    executed = 0;
  }

  /**
   * Ends the run; durable on return. What the last attempt reserved from step {@code steps} on is
   * given back.
   *
   * @param steps no process executed a step of the last attempt from this one on, not even one that
   *     was killed and whose steps were then done again
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
   * The head of all lines that are certain to be on disk. Noted in a checkpoint, it cannot be ahead
   * of the file after a loss of power.
   */
  public synchronized Head head() {
    return durable;
  }

  /** What {@link #read} gives for this ledger. */
  public synchronized LedgerContents contents() {
    requireUsable();
    return LedgerScan.read(storage, path, List.of(durable));
  }

  /** Makes durable what is not, and releases the lock. A second call does nothing. */
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

  /** Takes the lock, and releases it unless a ledger comes of it. */
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
          "ledger " + path + " exists already; resume that run, or choose another directory", e);
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
      // All at once: a file without its header, which a kill would leave, could not be resumed.
      DurableFiles.replace(storage, path, line.bytes());
      Storage.Appender file = storage.open(path);
      return new Ledger(storage, path, file, lock, line.chain(), LedgerState.START);
    } catch (IOException | RuntimeException | Error e) {
      // Nobody was given this ledger, so it holds nothing. Left behind, it would be in the way.
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
      // The writer may have been killed between writing and forcing, and its lines now count.
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
    state = State.BROKEN; // until it has worked, whatever is thrown
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
      throw new IllegalArgumentException("what cannot be read back is not written: " + written);
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
              + " could not be written before, and what the file holds is unknown; release"
              + " nothing, close the ledger and resume the run");
    }
  }

  private void requireOpen() {
    requireUsable();
    if (progress.isFinished()) {
      throw new IllegalStateException(
          "ledger " + path + " is finished, nothing may follow; start a new run");
    }
  }
}
