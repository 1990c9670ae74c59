package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighbouring;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerLockedException;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/** Steps are replayed for nothing only if nothing has changed; otherwise they count again. */
class ResumeTest {

  private static final int STEPS = 200;
  private static final int BLOCK = 25;
  private static final int STOP = 60;

  private static final TrainingPlan PLAN = SmallRun.plan(STEPS);
  private static final PrivacyEvent STEP = new PrivacyEvent.SampledGaussian(0.1, 1);

  @TempDir Path temp;

  private Trainer trainer(TrainingPlan plan) {
    return SmallRun.trainer(plan, temp).blockSize(BLOCK);
  }

  /** Trains up to step 60, with 75 reserved. */
  private void stop(Trainer trainer) {
    trainer.listener(
        (steps, theta) -> {
          if (steps == STOP) {
            trainer.stop();
          }
        });
    assertThat(trainer.run().outcome()).isEqualTo(TrainingResult.Outcome.STOPPED);
    assertThat(Ledger.read(SmallRun.ledger(temp)).event()).isEqualTo(STEP.times(75));
  }

  private Path checkpoint() {
    return temp.resolve("run/checkpoint/state");
  }

  private void requireCountedAgain(TrainingResult result, RandomKey old) {
    assertThat(result.steps()).isEqualTo(STEPS);
    assertThat(result.ledger().event()).isEqualTo(STEP.times(75 + STEPS - STOP));
    assertThat(result.weights()).isNotEqualTo(SmallRun.undisturbed(PLAN, old));
    assertThat(temp.resolve("keys")).isEmptyDirectory();
  }

  @Test
  void resume_nothingChanged_countsOnceAndEndsAlike() throws IOException {
    stop(trainer(PLAN));
    double[] expected = SmallRun.undisturbed(PLAN, SmallRun.key(temp));
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.weights()).isEqualTo(expected);
    assertThat(result.ledger().event()).isEqualTo(PLAN.privacy().event());
    assertThat(temp.resolve("keys")).isEmptyDirectory();
  }

  @Test
  void resume_oneRecordChanged_countsAgain() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    float[] features = SmallRun.EXAMPLES.features().clone();
    features[1234] = Math.nextUp(features[1234]);
    Examples other = new Examples(features, 4, SmallRun.EXAMPLES.targets());
    Trainer trainer =
        Trainer.of(PLAN, LinearEngine.of(SmallRun.MODEL, other))
            .in(temp.resolve("run"))
            .keys(new KeyFolder(temp.resolve("keys")));
    requireCountedAgain(trainer.resume(), old);
  }

  @Test
  void resume_planChanged_countsAgain_andKeepsTheNewPlan() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    TrainingPlan other =
        new TrainingPlan(
            PLAN.privacy(),
            PLAN.mechanism(),
            new Optimiser.Sgd(0.2, 0.5),
            PLAN.schedule(),
            PLAN.weightDecay(),
            PLAN.averaging(),
            null);
    requireCountedAgain(trainer(other).resume(), old);
    assertThat(Files.readString(temp.resolve("run/plan.json")).strip()).isEqualTo(other.toJson());
  }

  @Test
  void resume_keyLost_countsAgain() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    try (var files = Files.list(temp.resolve("keys"))) {
      Files.delete(files.findFirst().orElseThrow());
    }
    requireCountedAgain(trainer(PLAN).resume(), old);
  }

  @Test
  void resume_anotherKey_countsAgain() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    try (var files = Files.list(temp.resolve("keys"))) {
      Files.write(files.findFirst().orElseThrow(), RandomKey.secure().bytes());
    }
    requireCountedAgain(trainer(PLAN).resume(), old);
  }

  @Test
  void resume_anotherProgram_countsAgain() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    Checkpoint saved = Checkpoint.read(checkpoint());
    String pins = saved.pins().replace("sordino-arithmetic-", "sordino-arithmetic-0");
    assertThat(pins).isNotEqualTo(saved.pins());
    new Checkpoint(saved.step(), saved.head(), pins, saved.arrays())
        .write(Storage.system(), checkpoint());
    requireCountedAgain(trainer(PLAN).resume(), old);
  }

  @Test
  void resume_checkpointLost_beginsAnewAndCountsAgain() throws IOException {
    stop(trainer(PLAN));
    Files.delete(checkpoint());
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.steps()).isEqualTo(STEPS);
    assertThat(result.ledger().event()).isEqualTo(STEP.times(75 + STEPS));
  }

  @Test
  void resume_olderCheckpoint_isReplayedForNothing() throws IOException {
    byte[][] older = new byte[1][];
    Trainer trainer = trainer(PLAN);
    trainer.listener(
        (steps, theta) -> {
          if (steps == 10) {
            older[0] = read(checkpoint());
          } else if (steps == STOP) {
            trainer.stop();
          }
        });
    trainer.run();
    double[] expected = SmallRun.undisturbed(PLAN, SmallRun.key(temp));
    Files.write(checkpoint(), older[0]);
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.weights()).isEqualTo(expected);
    assertThat(result.ledger().event()).isEqualTo(PLAN.privacy().event());
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void resume_changedRecordsOfASeededRun_isRefused() {
    stop(trainer(PLAN).insecureSeed(9));
    Examples other = LinearEngineTest.examples(SmallRun.MODEL, new SplittableRandom(77), 500);
    Trainer trainer =
        Trainer.of(PLAN, LinearEngine.of(SmallRun.MODEL, other)).in(temp.resolve("run"));
    assertThatIllegalStateException()
        .isThrownBy(trainer::resume)
        .withMessageContaining("insecure seed cannot be resumed");
  }

  /** Killed right behind the header: what the header says about the randomness must come true. */
  @Test
  void resume_ledgerWithHeaderOnly_takesTheRandomnessOfTheHeader() throws IOException {
    createLedger("insecure seed 9");
    TrainingResult seeded = trainer(PLAN).resume();
    assertThat(seeded.weights()).isEqualTo(SmallRun.undisturbed(PLAN, RandomKey.insecure(9)));
    Files.delete(SmallRun.ledger(temp));
    Files.delete(checkpoint());
    createLedger(Header.SECURE);
    TrainingResult secure = trainer(PLAN).insecureSeed(9).resume();
    assertThat(secure.weights()).isNotEqualTo(seeded.weights());
    assertThat(secure.ledger().event()).isEqualTo(PLAN.privacy().event());
  }

  private void createLedger(String randomness) throws IOException {
    Files.createDirectories(temp.resolve("run/checkpoint"));
    Header header = Header.of("name", Neighbouring.ADD_OR_REMOVE_ONE, "example", 500, randomness);
    Ledger.create(SmallRun.ledger(temp), header).close();
  }

  @Test
  void resume_killedBetweenEndAndRemovalOfTheKey_removesTheKey() throws IOException {
    stop(trainer(PLAN));
    byte[] key = SmallRun.key(temp).bytes();
    TrainingResult result = trainer(PLAN).resume();
    Files.write(temp.resolve("keys").resolve(result.ledger().header().run() + ".key"), key);
    assertThat(trainer(PLAN).resume().weights()).isEqualTo(result.weights());
    assertThat(temp.resolve("keys")).isEmptyDirectory();
  }

  @Test
  void resume_finishedWithoutCheckpoint_isRefused() throws IOException {
    trainer(PLAN).run();
    Files.delete(checkpoint());
    assertThatThrownBy(() -> trainer(PLAN).resume())
        .isInstanceOf(CheckpointDamagedException.class)
        .hasMessageContaining("checkpoint is missing");
  }

  @Test
  void resume_whileTheRunGoesOn_isRefused() {
    trainer(PLAN)
        .listener(
            (steps, theta) ->
                assertThatThrownBy(() -> trainer(PLAN).resume())
                    .isInstanceOf(LedgerLockedException.class))
        .run();
  }

  /** With one key, two runs from different starts would show the records without noise. */
  @Test
  void run_twiceWithOneTrainer_takesTwoKeys() {
    Trainer trainer = Trainer.of(PLAN, LinearEngine.of(SmallRun.MODEL, SmallRun.EXAMPLES));
    assertThat(trainer.run().weights()).isNotEqualTo(trainer.run().weights());
  }
}
