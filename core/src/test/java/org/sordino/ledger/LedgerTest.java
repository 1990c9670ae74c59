package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sordino.ledger.SampleLedger.ENTRIES;
import static org.sordino.ledger.SampleLedger.HEADER;
import static org.sordino.ledger.SampleLedger.LATER_STEP;
import static org.sordino.ledger.SampleLedger.STEP;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

class LedgerTest {

  private static final List<Realized> VALUES = List.of(new Realized("all", 1, 4));

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("ledger.jsonl");
  }

  @Test
  void read_everyKindOfEntry_isWhatWasWritten() throws IOException {
    LedgerContents live;
    Head head;
    try (Ledger ledger = Ledger.create(file, HEADER)) {
      ENTRIES.forEach(entry -> SampleLedger.write(ledger, entry));
      live = ledger.contents();
      head = ledger.head();
    }
    LedgerContents read = Ledger.read(file, head);
    assertThat(read).isEqualTo(new LedgerContents(HEADER, ENTRIES, head, true)).isEqualTo(live);
    assertThat(head.lines()).isEqualTo(ENTRIES.size() + 1);
    assertThat(Files.readAllBytes(file)).isEqualTo(SampleLedger.bytes());
  }

  @Test
  void inMemory_everyKindOfEntry_isTheSameAsOnDisk() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ENTRIES.forEach(entry -> SampleLedger.write(ledger, entry));
      assertThat(ledger.contents()).isEqualTo(SampleLedger.read(SampleLedger.bytes()));
      assertThat(ledger.head()).isEqualTo(ledger.contents().head());
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void resume_afterEveryEntry_continuesTheSameChain() throws IOException {
    Ledger.create(file, HEADER).close();
    Head known = Head.NONE;
    for (Entry entry : ENTRIES) {
      try (Ledger ledger = Ledger.resume(file, known)) {
        SampleLedger.write(ledger, entry);
        known = ledger.head();
      }
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(SampleLedger.bytes());
  }

  @Test
  void create_existingFile_isRefusedAndKept() throws IOException {
    Files.writeString(file, "precious");
    assertThatThrownBy(() -> Ledger.create(file, HEADER))
        .isInstanceOf(LedgerWriteException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("already exists; resume");
    assertThat(file).hasContent("precious");
  }

  @Test
  void create_noFolder_isRefusedWithThePath() {
    Path lost = folder.resolve("none").resolve("ledger.jsonl");
    assertThatThrownBy(() -> Ledger.create(lost, HEADER))
        .isInstanceOf(LedgerWriteException.class)
        .hasMessageContaining(lost.toString());
  }

  @Test
  void read_noFile_isRefusedWithThePath() {
    assertThatThrownBy(() -> Ledger.read(file))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file.toString());
    assertThatThrownBy(() -> Ledger.resume(file, Head.NONE))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void resume_knownHead_mustBeABeginningOfTheFile() {
    Head early;
    Head late;
    try (Ledger ledger = Ledger.create(file, HEADER)) {
      early = ledger.head();
      ledger.reserve(STEP, 0, 5);
      late = ledger.head();
    }
    Ledger.resume(file, early).close();
    Ledger.resume(file, late).close();
    assertThatThrownBy(() -> Ledger.resume(file, new Head(3, late.chain())))
        .isInstanceOf(LedgerDamagedException.class)
        .hasMessageContaining("line 3: the file was shortened");
    assertThatThrownBy(() -> Ledger.resume(file, new Head(1, late.chain())))
        .isInstanceOf(LedgerDamagedException.class)
        .hasMessageContaining("line 1: the checksum was " + late.chain());
    assertThatThrownBy(() -> Ledger.read(file, new Head(0, late.chain())))
        .isInstanceOf(LedgerDamagedException.class);
  }

  @Test
  void reserve_notTheNextStep_isRefusedAndNothingWritten() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(STEP, 0, 5);
      for (long from : new long[] {-1, 0, 4, 6}) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> ledger.reserve(STEP, from, 5))
            .withMessageContaining("from must be")
            .withMessageContaining("got " + from);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.reserve(STEP, 5, -1))
          .withMessageContaining("count must be");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.reserve(STEP, 5, PrivacyEvent.MAX_COUNT))
          .withMessageContaining("from + count must be");
      ledger.reserve(STEP, 5, 0);
      assertThat(ledger.contents().reserved()).isEqualTo(5);
    }
  }

  @Test
  void event_uninterruptedRun_isThatOfThePlan() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      assertThat(ledger.contents().event()).isEqualTo(new PrivacyEvent.Composition(List.of()));
      ledger.reserve(STEP, 0, 100);
      ledger.reserve(STEP, 100, 100);
      assertThat(ledger.contents().event()).isEqualTo(STEP.times(200));
      assertThat(ledger.contents().steps()).isEqualTo(200);
      ledger.finish(150);
      assertThat(ledger.contents().event()).isEqualTo(STEP.times(150));
      assertThat(ledger.contents().steps()).isEqualTo(150);
      assertThat(ledger.contents().reserved()).isEqualTo(200);
    }
  }

  @Test
  void event_sampleLedger_countsEveryAttempt() {
    // Query: MEAN, STEP. Attempt 1: 10 STEP, 10 times 2 LATER_STEP. Attempt 2: steps 15 to 19.
    // Attempt 1 recorded slightly less noise than STEP, and none from step 11 on.
    assertThat(SampleLedger.read(SampleLedger.bytes()).event())
        .isEqualTo(
            new PrivacyEvent.Composition(
                List.of(
                    SampleLedger.MEAN.times(1),
                    STEP.times(6),
                    new PrivacyEvent.SampledGaussian(0.01, 3.9968038348871575).times(10),
                    LATER_STEP.times(2),
                    new PrivacyEvent.SampledGaussian(0.01, 0).times(18))));
  }

  @Test
  void finish_stepsOfAnEarlierAttempt_stillCount() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(STEP, 0, 100);
      ledger.restart(50, "fresh key");
      assertThat(ledger.contents().reserved()).isEqualTo(50);
      ledger.reserve(STEP, 50, 100);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.finish(49))
          .withMessageContaining("steps must be in [50, 150]");
      assertThatIllegalArgumentException().isThrownBy(() -> ledger.finish(151));
      ledger.finish(50);
      assertThat(ledger.contents().event()).isEqualTo(STEP.times(100));
    }
  }

  @Test
  void finish_beforeAnExecutedStep_isRefused() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(STEP, 0, 100);
      ledger.realized(0, VALUES);
      ledger.realized(70, VALUES);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.finish(70))
          .withMessageContaining("at least the number of executed steps, 71");
      ledger.finish(71);
    }
  }

  @Test
  void finish_resumedRunThatHadExecutedMore_isRefused() {
    try (Ledger ledger = Ledger.create(file, HEADER)) {
      ledger.reserve(STEP, 0, 100);
      ledger.realized(70, VALUES);
    }
    try (Ledger ledger = Ledger.resume(file, Head.NONE)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.finish(50))
          .withMessageContaining("71");
    }
  }

  @Test
  void finished_anyCallButTheSameFinish_isRefused() {
    try (Ledger ledger = Ledger.create(file, HEADER)) {
      ledger.reserve(STEP, 0, 10);
      ledger.finish(8);
      Head end = ledger.head();
      List<Runnable> calls =
          List.of(
              () -> ledger.reserve(STEP, 10, 1),
              () -> ledger.query("mean", STEP),
              () -> ledger.realized(8, VALUES),
              () -> ledger.realized(-1, VALUES),
              () -> ledger.restart(0, "again"),
              () -> ledger.finish(9));
      for (Runnable call : calls) {
        assertThatIllegalStateException().isThrownBy(call::run).withMessageContaining("finished");
      }
      ledger.finish(8);
      ledger.realized(7, VALUES);
      assertThat(ledger.contents().head()).isEqualTo(end);
    }
    try (Ledger ledger = Ledger.resume(file, Head.NONE)) {
      ledger.realized(7, VALUES);
      ledger.finish(8);
      assertThatIllegalStateException().isThrownBy(() -> ledger.restart(0, "again"));
    }
  }

  @Test
  void realized_sameValues_areWrittenOnce() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(STEP, 0, 10);
      List<Realized> mutable = new ArrayList<>(VALUES);
      ledger.realized(0, mutable);
      ledger.realized(1, mutable);
      ledger.realized(2, List.of(new Realized("all", 1, 4)));
      mutable.set(0, new Realized("all", 2, 8));
      ledger.realized(3, mutable); // the same list, with other values
      mutable.set(0, new Realized("all", 3, 12));
      ledger.restart(3, "fresh key");
      ledger.reserve(STEP, 3, 1);
      ledger.realized(3, List.of(new Realized("all", 2, 8))); // every attempt records its values
      assertThat(ledger.contents().entries())
          .filteredOn(Entry.RealizedEntry.class::isInstance)
          .containsExactly(
              new Entry.RealizedEntry(0, VALUES),
              new Entry.RealizedEntry(3, List.of(new Realized("all", 2, 8))),
              new Entry.RealizedEntry(3, List.of(new Realized("all", 2, 8))));
    }
  }

  @Test
  void realized_stepThatWasNotReserved_isRefused() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.realized(0, VALUES))
          .withMessageContaining("step must be reserved in this attempt, in [0, 0), got 0");
      ledger.reserve(STEP, 0, 10);
      ledger.realized(9, VALUES);
      assertThatIllegalArgumentException().isThrownBy(() -> ledger.realized(10, VALUES));
      assertThatIllegalArgumentException().isThrownBy(() -> ledger.realized(-1, VALUES));
      ledger.restart(5, "fresh key");
      ledger.reserve(STEP, 5, 1);
      assertThatIllegalArgumentException().isThrownBy(() -> ledger.realized(4, VALUES));
    }
  }

  @Test
  void head_lineNotYetDurable_isLeftOut() {
    Ledger ledger = Ledger.create(file, HEADER);
    ledger.reserve(STEP, 0, 10);
    Head durable = ledger.head();
    ledger.realized(0, VALUES);
    assertThat(ledger.head()).isEqualTo(durable);
    ledger.query("mean", STEP);
    assertThat(ledger.head()).isEqualTo(ledger.contents().head());
    ledger.realized(1, List.of());
    ledger.close();
    assertThat(ledger.head()).isEqualTo(Ledger.read(file).head());
  }

  @Test
  void restart_afterTheReservedSteps_isRefused() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(STEP, 0, 10);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.restart(11, "why"))
          .withMessageContaining("from must be at most the number of reserved steps, 10, got 11");
      ledger.restart(10, "new key, nothing repeated");
      assertThat(ledger.contents().event()).isEqualTo(STEP.times(10));
    }
  }

  @Test
  void write_unreadableEntry_isRefusedAndTheLedgerStaysUsable() {
    PrivacyEvent deep = STEP;
    for (int i = 0; i < 200; i++) {
      deep = deep.times(1);
    }
    PrivacyEvent tooDeep = deep;
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      assertThatIllegalArgumentException().isThrownBy(() -> ledger.reserve(tooDeep, 0, 1));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.query("half \ud83c", STEP))
          .withMessageContaining("Unicode");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ledger.restart(0, "x".repeat(LineReader.MAX_LINE)))
          .withMessageContaining("at most 1048576 bytes");
      ledger.query("NUL \0 and line\r\nfeed", STEP);
      assertThat(ledger.contents().entries())
          .containsExactly(new Entry.Query("NUL \0 and line\r\nfeed", STEP));
    }
  }

  @Test
  void closed_anyCall_isRefused() {
    Ledger ledger = Ledger.create(file, HEADER);
    Head head = ledger.head();
    ledger.close();
    ledger.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> ledger.reserve(STEP, 0, 1))
        .withMessageContaining("closed");
    assertThatIllegalStateException().isThrownBy(ledger::contents);
    assertThat(ledger.head()).isEqualTo(head);
  }

  @Test
  void reserve_interruptedThread_isStillDurable() {
    Thread.currentThread().interrupt();
    try (Ledger ledger = Ledger.create(file, HEADER)) {
      ledger.reserve(STEP, 0, 10);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(Ledger.read(file).reserved()).isEqualTo(10);
    } finally {
      Thread.interrupted(); // clears the flag for the next test
    }
  }

  @Test
  void header_badFields_areRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.of(" ", Neighboring.REPLACE_ONE, "user", 1, Header.SECURE))
        .withMessageContaining("run");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Header.of("a", Neighboring.REPLACE_ONE, "user", 0, Header.SECURE))
        .withMessageContaining("population must be at least 1, got 0");
    Header header = Header.of("a", Neighboring.REPLACE_ONE, "user", 1, "insecure seed 42");
    try (Ledger ledger = Ledger.inMemory(header)) {
      assertThat(ledger.contents().header()).isEqualTo(header);
    }
  }

  @Test
  void realizedRecord_notANumber_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Realized("all", Double.NaN, 1))
        .withMessageContaining("bound of group all");
    assertThatIllegalArgumentException().isThrownBy(() -> new Realized("all", 1, Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> new Realized("", 1, 1));
  }

  @Test
  void head_json_roundTripsAndRefusesOthers() {
    Head head = new Head(7, "0123456789abcdef0123456789abcdef");
    assertThat(Head.fromJson(head.toJson())).isEqualTo(head);
    assertThat(Head.fromJson(Head.NONE.toJson())).isEqualTo(Head.NONE);
    assertThatIllegalArgumentException().isThrownBy(() -> Head.fromJson("{\"lines\":7}"));
    assertThatIllegalArgumentException().isThrownBy(() -> new Head(7, "0123"));
    assertThatIllegalArgumentException().isThrownBy(() -> new Head(-1, head.chain()));
  }
}
