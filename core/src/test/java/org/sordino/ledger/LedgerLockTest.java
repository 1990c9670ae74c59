package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LedgerLockTest {

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("ledger.jsonl");
  }

  @Test
  void resume_heldInThisProcess_isRefusedUntilClosed() throws IOException {
    Path alias = folder.resolve("alias.jsonl");
    try (Ledger ledger = Ledger.create(file, SampleLedger.HEADER)) {
      ledger.reserve(SampleLedger.STEP, 0, 1);
      Files.createSymbolicLink(alias, file);
      for (Path path :
          new Path[] {
            file, folder.resolve("../" + folder.getFileName() + "/ledger.jsonl"), alias
          }) {
        assertThatThrownBy(() -> Ledger.resume(path, Head.NONE))
            .isInstanceOf(LedgerLockedException.class)
            .hasMessageContaining(path.toString())
            .hasMessageContaining("is being written in this process; wait");
      }
      assertThatThrownBy(() -> Ledger.create(file, SampleLedger.HEADER))
          .isInstanceOf(LedgerLockedException.class);
      ledger.reserve(SampleLedger.STEP, 1, 1);
    }
    Ledger.resume(alias, Head.NONE).close();
  }

  @Test
  void resume_failed_releasesTheLock() throws IOException {
    Files.writeString(file, "not a ledger\n");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> Ledger.resume(file, Head.NONE))
          .isInstanceOf(LedgerDamagedException.class);
    }
  }

  @Test
  void resume_heldByAnotherProcess_isRefusedUntilItIsKilled() throws Exception {
    Process holder = LedgerProcess.start("hold", file);
    try (BufferedReader said = holder.inputReader()) {
      assertThat(said.readLine()).isEqualTo("held");
      assertThatThrownBy(() -> Ledger.resume(file, Head.NONE))
          .isInstanceOf(LedgerLockedException.class)
          .hasMessageContaining("in another process");
      assertThat(Ledger.read(file).entries()).isEmpty(); // reading needs no lock
    } finally {
      holder.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
    }
    Ledger.resume(file, Head.NONE).close();
  }

  @Test
  void lock_fileReadAndSecondRequestInThisProcess_stillKeepsOthersOut() throws Exception {
    try (Ledger ledger = Ledger.create(file, SampleLedger.HEADER)) {
      // Each of these calls would drop a plain POSIX lock on the ledger.
      Ledger.read(file);
      Files.readAllBytes(file);
      assertThatThrownBy(() -> Ledger.resume(file, Head.NONE))
          .isInstanceOf(LedgerLockedException.class);
      Process other = LedgerProcess.start("hold", file);
      try (BufferedReader said = other.inputReader()) {
        assertThat(said.readLine()).startsWith("locked: ").contains("in another process");
        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
      } finally {
        other.destroyForcibly();
      }
      ledger.reserve(SampleLedger.STEP, 0, 1);
    }
  }
}
