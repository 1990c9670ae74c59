package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sordino.ledger.SampleLedger.ENTRIES;
import static org.sordino.ledger.SampleLedger.HEADER;
import static org.sordino.ledger.SampleLedger.STEP;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.ledger.FaultyStorage.Fault;

/**
 * Makes every disk operation fail once, in every way, and then kills the process or cuts the power.
 * The file must then contain everything that was confirmed to be durable, and nothing that was not
 * written.
 */
class LedgerFaultTest {

  /**
   * The surviving part of the unforced bytes: none, half or all. NaN: only the process is killed.
   */
  private static final double[] LUCK = {0, 0.5, 1, Double.NaN};

  @TempDir Path folder;
  private Path file;

  /** Number of entries that are certain to be durable; -1 if not even the header is. */
  private int confirmed;

  private Head head = Head.NONE;

  @ParameterizedTest
  @EnumSource(Fault.class)
  void run_anyOperationFails_nothingConfirmedIsLost(Fault fault) throws IOException {
    FaultyStorage counting = new FaultyStorage();
    counting.failAt(-1, fault);
    file = folder.resolve("count.jsonl");
    run(counting);
    assertThat(confirmed).isEqualTo(ENTRIES.size());
    for (long failing = 0; failing < counting.operations(); failing++) {
      for (double luck : LUCK) {
        file = folder.resolve(failing + "-" + luck + ".jsonl");
        FaultyStorage storage = new FaultyStorage();
        storage.failAt(failing, fault);
        assertThatThrownBy(() -> run(storage)).isInstanceOf(LedgerWriteException.class);
        storage.failAt(-1, fault);
        crash(storage, luck);
        check(storage);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void resume_anyOperationFails_nothingConfirmedIsLost(Fault fault) throws IOException {
    for (int failing = 0; failing < 5; failing++) {
      for (double luck : LUCK) {
        for (Fault before : Fault.values()) {
          file = folder.resolve(failing + "-" + luck + "-" + before + ".jsonl");
          FaultyStorage storage = tornIn(before);
          storage.failAt(failing, fault);
          try (Ledger ledger = Ledger.resume(storage, file, head)) {
            confirmed = ledger.contents().entries().size();
            head = ledger.head();
          } catch (UncheckedIOException e) {
            // Nothing more was confirmed than before.
          }
          storage.failAt(-1, fault);
          crash(storage, luck);
          check(storage);
        }
      }
    }
  }

  @Test
  void resume_lineWrittenButNeverForced_isForced() throws IOException {
    file = folder.resolve("ledger.jsonl");
    FaultyStorage storage = tornIn(Fault.AFTER); // the line is complete, but was not forced
    try (Ledger ledger = Ledger.resume(storage, file, head)) {
      assertThat(ledger.contents().reserved()).isEqualTo(20);
    }
    storage.losePower(0);
    assertThat(Ledger.read(file).reserved()).isEqualTo(20);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void broken_anyFurtherCall_isRefused(long failing) {
    file = folder.resolve("ledger.jsonl");
    FaultyStorage storage = new FaultyStorage();
    try (Ledger ledger = Ledger.create(storage, file, HEADER)) {
      Head durable = ledger.head();
      storage.failAt(failing, Fault.AFTER);
      assertThatThrownBy(() -> ledger.reserve(STEP, 0, 5))
          .isInstanceOf(LedgerWriteException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("release nothing");
      List<Runnable> calls =
          List.of(
              () -> ledger.reserve(STEP, 0, 5),
              () -> ledger.query("mean", STEP),
              () -> ledger.realized(0, List.of()),
              () -> ledger.restart(0, "again"),
              () -> ledger.finish(0),
              ledger::contents);
      for (Runnable call : calls) {
        assertThatIllegalStateException()
            .isThrownBy(call::run)
            .withMessageContaining("cannot be used after a failed write");
      }
      assertThat(ledger.head()).isEqualTo(durable);
    }
  }

  @Test
  void create_failed_canBeRepeated() {
    file = folder.resolve("ledger.jsonl");
    FaultyStorage storage = new FaultyStorage();
    for (long failing = 1; failing < 4; failing++) {
      storage.failAt(failing, Fault.PARTIAL);
      assertThatThrownBy(() -> Ledger.create(storage, file, HEADER))
          .isInstanceOf(LedgerWriteException.class);
      assertThat(file).doesNotExist();
    }
    Ledger.create(storage, file, HEADER).close();
  }

  /** Writes the sample, which has a line that is not forced by its own entry. */
  private void run(FaultyStorage storage) {
    confirmed = -1;
    head = Head.NONE;
    try (Ledger ledger = Ledger.create(storage, file, HEADER)) {
      confirmed = 0;
      head = ledger.head();
      for (int i = 0; i < ENTRIES.size(); i++) {
        SampleLedger.write(ledger, ENTRIES.get(i));
        if (!(ENTRIES.get(i) instanceof Entry.RealizedEntry)) {
          confirmed = i + 1;
        }
        head = ledger.head();
      }
    }
  }

  /** Returns the storage of a ledger whose second reservation failed while it was appended. */
  private FaultyStorage tornIn(Fault fault) {
    FaultyStorage storage = new FaultyStorage();
    try (Ledger ledger = Ledger.create(storage, file, HEADER)) {
      ENTRIES.subList(0, 3).forEach(entry -> SampleLedger.write(ledger, entry));
      confirmed = 2;
      head = ledger.head();
      storage.failAt(0, fault);
      assertThatThrownBy(() -> SampleLedger.write(ledger, ENTRIES.get(3)))
          .isInstanceOf(LedgerWriteException.class);
    }
    storage.failAt(-1, fault);
    return storage;
  }

  private static void crash(FaultyStorage storage, double luck) throws IOException {
    if (!Double.isNaN(luck)) {
      storage.losePower(luck);
    }
  }

  private void check(FaultyStorage storage) throws IOException {
    if (confirmed < 0 && !Files.exists(file)) {
      return;
    }
    try {
      requireConfirmed(Ledger.read(file, head));
    } catch (LedgerDamagedException e) {
      assertThat(e).hasMessageContainingAll("line "); // a torn line, reported with its number
    }
    try (Ledger ledger = Ledger.resume(storage, file, head)) {
      LedgerContents contents = ledger.contents();
      requireConfirmed(contents);
      storage.losePower(0);
      requireConfirmed(Ledger.read(file, ledger.head()));
      assertThat(Ledger.read(file).entries()).isEqualTo(contents.entries());
    } catch (LedgerDamagedException e) {
      assertThat(confirmed).isEqualTo(-1); // a header that was not confirmed
    }
  }

  private void requireConfirmed(LedgerContents contents) {
    int size = contents.entries().size();
    assertThat(contents.entries()).isEqualTo(ENTRIES.subList(0, size));
    assertThat(size).isGreaterThanOrEqualTo(confirmed);
  }
}
