package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sordino.ledger.FaultyStorage;
import org.sordino.ledger.FaultyStorage.Fault;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * Makes every disk operation fail once, in every way, and then kills the process or cuts the power.
 * Every released step must be counted in the ledger, and the resumed run must end like an
 * undisturbed one.
 */
class TrainerFaultTest {

  private static final int STEPS = 30;
  private static final int BLOCK = 10;
  private static final int STOP = 15;
  private static final TrainingPlan PLAN = SmallRun.plan(STEPS);

  /**
   * Surviving share of the bytes that were not forced to disk: none, half, or all (NaN: only the
   * process is killed).
   */
  private static final double[] LUCK = {0, 0.5, Double.NaN};

  @TempDir Path temp;
  private Path folder;
  private long released;

  /** The key of the last attempt that released a step. */
  private @Nullable RandomKey key;

  private void begin(String name) throws IOException {
    folder = Files.createDirectory(temp.resolve(name));
    released = 0;
    key = null;
  }

  private Trainer trainer(Storage storage) {
    return SmallRun.trainer(PLAN, folder)
        .storage(storage)
        .blockSize(BLOCK)
        .listener(TrainingListener.afterStep((steps, theta) -> note(steps)));
  }

  private void note(long steps) {
    released = Math.max(released, steps);
    if (key != null) {
      return;
    }
    try {
      key = SmallRun.key(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void run_anyOperationFails_resumeEndsLikeAnUndisturbedRun(Fault fault) throws IOException {
    begin("count");
    FaultyStorage counting = new FaultyStorage();
    trainer(counting).run();
    long operations = counting.operations();
    assertThat(operations).isGreaterThan(60);
    for (long failing = 0; failing < operations; failing++) {
      for (double luck : LUCK) {
        begin(failing + "-" + luck);
        FaultyStorage storage = new FaultyStorage();
        storage.failAt(failing, fault);
        requireFails(catchThrowable(() -> trainer(storage).run()), "fault");
        storage.failAt(-1, fault);
        crash(storage, luck);
        requireEndsWell(storage);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void resume_anyOperationFails_theNextEndsLikeAnUndisturbedRun(Fault fault) throws IOException {
    begin("count");
    FaultyStorage counting = stopped();
    trainer(counting).resume();
    long operations = counting.operations();
    assertThat(operations).isGreaterThan(20);
    for (long failing = 0; failing < operations; failing++) {
      for (double luck : LUCK) {
        begin(failing + "-" + luck);
        FaultyStorage storage = stopped();
        storage.failAt(failing, fault);
        requireFails(catchThrowable(() -> trainer(storage).resume()), "fault");
        storage.failAt(-1, fault);
        crash(storage, luck);
        requireEndsWell(storage);
      }
    }
  }

  private FaultyStorage stopped() {
    FaultyStorage storage = new FaultyStorage();
    Trainer trainer = trainer(storage);
    trainer.listener(
        TrainingListener.afterStep(
            (steps, theta) -> {
              note(steps);
              if (steps == STOP) {
                trainer.stop();
              }
            }));
    trainer.run();
    storage.failAt(-1, Fault.BEFORE);
    return storage;
  }

  @Test
  void run_diskFillsUp_resumeEndsLikeAnUndisturbedRun() throws IOException {
    // The number of bytes depends on the key, because the adapted bounds are in the ledger.
    long free = 0;
    while (!runEndsWith(free)) {
      free += 97;
    }
    assertThat(free).isGreaterThan(2000);
  }

  /**
   * Returns whether a run succeeds with this much space; if not, checks that it can be resumed
   * later.
   */
  private boolean runEndsWith(long free) throws IOException {
    begin("free-" + free);
    FullDisk disk = new FullDisk(free);
    Throwable thrown = catchThrowable(() -> trainer(disk).run());
    if (thrown == null) {
      return true;
    }
    requireFails(thrown, "No space left on device");
    requireReserved();
    requireFails(catchThrowable(() -> trainer(disk).resume()), "No space left on device");
    disk.free = Long.MAX_VALUE;
    requireEndsWell(disk);
    return false;
  }

  private static void requireFails(@Nullable Throwable thrown, String reason) {
    assertThat(thrown).isInstanceOf(UncheckedIOException.class).hasStackTraceContaining(reason);
  }

  private static void crash(FaultyStorage storage, double luck) throws IOException {
    if (!Double.isNaN(luck)) {
      storage.losePower(luck);
    }
  }

  /** Released steps are in the ledger, not counting a last line that was cut off. */
  private void requireReserved() throws IOException {
    Path file = SmallRun.ledger(folder);
    if (!Files.exists(file)) {
      assertThat(released).isZero();
      return;
    }
    assertThat(SmallRun.withoutTornLine(file).reserved()).isGreaterThanOrEqualTo(released);
  }

  private void requireEndsWell(Storage storage) throws IOException {
    requireReserved();
    RandomKey before = key;
    key = null;
    TrainingResult result = trainer(storage).resume();
    assertThat(result.outcome()).isEqualTo(TrainingResult.Outcome.COMPLETED);
    assertThat(result.ledger().event()).isEqualTo(PLAN.event());
    if (before != null) {
      assertThat(key).as("key of the released steps").isIn(before, null);
      key = before;
    }
    assertThat(result.weights()).isEqualTo(SmallRun.undisturbed(PLAN, key));
    LedgerContents onDisk = Ledger.read(SmallRun.ledger(folder));
    assertThat(onDisk).isEqualTo(result.ledger());
    assertThat(onDisk.finished()).isTrue();
    assertThat(folder.resolve("keys")).isEmptyDirectory();
    assertThat(trainer(storage).resume().weights()).isEqualTo(result.weights());
  }

  /** The real disk with limited space. Deleting files does not free space. */
  private static final class FullDisk implements Storage {

    private final Storage disk = Storage.system();
    private long free;

    FullDisk(long free) {
      this.free = free;
    }

    @Override
    public Appender create(Path file) throws IOException {
      return limited(disk.create(file));
    }

    @Override
    public Appender open(Path file) throws IOException {
      return limited(disk.open(file));
    }

    @Override
    public InputStream read(Path file) throws IOException {
      return disk.read(file);
    }

    @Override
    public void replace(Path source, Path target) throws IOException {
      disk.replace(source, target);
    }

    @Override
    public void delete(Path file) throws IOException {
      disk.delete(file);
    }

    @Override
    public void forceFolder(Path folder) {}

    private Appender limited(Appender file) {
      return new Appender() {
        @Override
        public void append(byte[] bytes) throws IOException {
          int fits = (int) Math.min(free, bytes.length);
          file.append(Arrays.copyOf(bytes, fits));
          free -= fits;
          if (fits < bytes.length) {
            throw new IOException("No space left on device");
          }
        }

        @Override
        public void force() {}

        @Override
        public void truncate(long size) throws IOException {
          file.truncate(size);
        }

        @Override
        public void close() throws IOException {
          file.close();
        }
      };
    }
  }
}
