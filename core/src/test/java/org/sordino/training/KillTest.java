package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.random.RandomKey;

/**
 * Kills a run in another process with SIGKILL at random moments. The resumed runs are killed as
 * well, up to three times in a row and 50 times in total. Every step that was reported as released
 * must be in the ledger, and the final weights and cost must be those of an undisturbed run.
 */
@Tag("slow")
class KillTest {

  private static final int KILLS = 25; // with secret keys, and the same number with a seed
  private static final TrainingPlan PLAN = SmallRun.plan(KillProcess.STEPS);

  /** The actual moments depend on the speed of the machine; the choice of moments does not. */
  private final SplittableRandom random = new SplittableRandom(4);

  @TempDir Path temp;
  private Path folder;
  private @Nullable RandomKey key;

  /** Number of kills before the first step of a run, in between, and after the last step. */
  private final int[] hits = new int[3];

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void run_killedAtAnyMoment_endsLikeAnUndisturbedRun(boolean seeded) throws Exception {
    int kills = 0;
    for (int run = 0; kills < KILLS; run++) {
      folder = Files.createDirectory(temp.resolve("run" + run));
      key = seeded ? RandomKey.insecure(KillProcess.SEED) : null;
      int inARow = Math.min(1 + run % 3, KILLS - kills);
      for (int i = 0; i < inARow; i++) {
        kill(seeded);
      }
      kills += inARow;
      requireEndsWell(seeded);
    }
    assertThat(hits).as("kills before, between and after the steps").doesNotContain(0);
  }

  /** Starts or resumes the run, kills it, and checks the files that it left. */
  private void kill(boolean seeded) throws Exception {
    Process process = KillProcess.start(folder, seeded);
    AtomicLong released = new AtomicLong(-1);
    Thread reader = new Thread(() -> listen(process, released));
    try {
      reader.start();
      waitForTheMoment(process, released);
    } finally {
      process.destroyForcibly();
    }
    process.waitFor();
    reader.join();
    requireReserved(Math.max(0, released.get()));
    if (!isFinished()) {
      noteKey(released.get());
    }
    hits[released.get() <= 0 ? 0 : isFinished() ? 2 : 1]++;
  }

  /**
   * Waits until shortly after the start (when the files appear), until a random step has been
   * released, or until shortly after the last step.
   */
  private void waitForTheMoment(Process process, AtomicLong released) throws Exception {
    long step =
        switch (random.nextInt(5)) {
          case 0 -> 0;
          case 1 -> KillProcess.STEPS;
          default -> 1 + random.nextInt(KillProcess.STEPS);
        };
    while (process.isAlive() && released.get() < step) {
      Thread.sleep(0, 100_000);
      noteKey(released.get());
    }
    Thread.sleep(random.nextInt(step == 0 ? 150 : 30));
  }

  /** Records the key under which the first step was released; all other steps must use it, too. */
  private void noteKey(long released) throws IOException {
    if (key == null && released > 0) {
      key = SmallRun.key(folder);
    }
  }

  /** Sets {@code released} to 0 when the process is ready, then to the last released step. */
  private static void listen(Process process, AtomicLong released) {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("ready")) {
          released.set(0);
        } else if (!line.equals("done")) {
          released.set(Long.parseLong(line));
        }
      }
    } catch (IOException e) {
      // The process was killed.
    }
  }

  private void requireReserved(long released) throws IOException {
    Path file = SmallRun.ledger(folder);
    if (released > 0 || Files.exists(file)) {
      assertThat(SmallRun.withoutTornLine(file).reserved()).isGreaterThanOrEqualTo(released);
    }
  }

  private boolean isFinished() throws IOException {
    Path file = SmallRun.ledger(folder);
    return Files.exists(file) && SmallRun.withoutTornLine(file).finished();
  }

  private void requireEndsWell(boolean seeded) throws IOException {
    TrainingResult result = KillProcess.trainer(folder, seeded).resume();
    assertThat(result.outcome()).isEqualTo(TrainingResult.Outcome.COMPLETED);
    assertThat(result.ledger().event()).isEqualTo(PLAN.event());
    if (key != null) {
      assertThat(result.weights()).isEqualTo(SmallRun.undisturbed(PLAN, key));
    }
    if (Files.exists(folder.resolve("keys"))) {
      assertThat(folder.resolve("keys")).isEmptyDirectory();
    }
  }
}
