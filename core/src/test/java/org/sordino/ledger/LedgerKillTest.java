package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that reserves steps is killed repeatedly. No confirmed reservation may be lost. */
@Tag("slow")
@Timeout(300)
class LedgerKillTest {

  private static final int KILLS = 20;

  @Test
  void reserve_processKilled_everyConfirmedStepIsInTheLedger(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("ledger.jsonl");
    Random random = new Random(1);
    long promised = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      long more = runAndKill(file, 1 + random.nextInt(50), random.nextInt(3_000_000));
      assertThat(more).isGreaterThan(promised);
      promised = more;
      try (Ledger ledger = Ledger.resume(file, Head.NONE)) {
        assertThat(ledger.contents().reserved()).isBetween(promised, promised + 7);
      }
    }
    assertThat(Files.size(file)).isGreaterThan(1000);
  }

  /** Returns the last step that the process reported as reserved. */
  private static long runAndKill(Path file, int lines, int nanos) throws Exception {
    Process process = LedgerProcess.start("reserve", file);
    try (BufferedReader said = process.inputReader()) {
      String last = "";
      for (int i = 0; i < lines; i++) {
        last = said.readLine();
      }
      TimeUnit.NANOSECONDS.sleep(nanos);
      process.toHandle().destroyForcibly(); // the process's own method closes its output
      for (String line = last; line != null; line = said.readLine()) {
        last = line;
      }
      return Long.parseLong(last);
    } catch (IOException e) {
      throw new AssertionError("the process ended without being killed", e);
    } finally {
      process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
    }
  }
}
