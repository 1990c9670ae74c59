package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerLockedException;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * Tests that steps are replayed at no cost only if nothing has changed, and are counted again
 * otherwise.
 */
class ResumeTest {

  private static final int STEPS = 200;
  private static final int BLOCK = 25;
  private static final int STOP = 60;

  private static final TrainingPlan PLAN = SmallRun.plan(STEPS);

  @TempDir Path temp;

  private Trainer trainer(TrainingPlan plan) {
    return SmallRun.trainer(plan, temp).blockSize(BLOCK);
  }

  /** Trains up to step 60, with 75 steps reserved. */
  private void stop(Trainer trainer) {
    trainer.listener(
        TrainingListener.afterStep(
            (steps, theta) -> {
              if (steps == STOP) {
                trainer.stop();
              }
            }));
    assertThat(trainer.run().outcome()).isEqualTo(TrainingResult.Outcome.STOPPED);
    assertThat(Ledger.read(SmallRun.ledger(temp)).event()).isEqualTo(SmallRun.cost(75));
  }

  private Path checkpoint() {
    return temp.resolve("run/checkpoint/state");
  }

  private void requireCountedAgain(TrainingResult result, RandomKey old) {
    assertThat(result.steps()).isEqualTo(STEPS);
    assertThat(result.ledger().event()).isEqualTo(SmallRun.cost(75 + STEPS - STOP));
    assertThat(result.weights()).isNotEqualTo(SmallRun.undisturbed(PLAN, old));
    assertThat(temp.resolve("keys")).isEmptyDirectory();
  }

  @Test
  void resume_nothingChanged_countsOnceWithTheSameResult() throws IOException {
    stop(trainer(PLAN));
    double[] expected = SmallRun.undisturbed(PLAN, SmallRun.key(temp));
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.weights()).isEqualTo(expected);
    assertThat(result.ledger().event()).isEqualTo(PLAN.event());
    assertThat(temp.resolve("keys")).isEmptyDirectory();
  }

  @Test
  void resume_oneRecordChanged_countsAgain() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    float[] features = SmallRun.EXAMPLES.features().clone();
    features[1234] = Math.nextUp(features[1234]);
    Examples other = new Examples(features, 4, SmallRun.EXAMPLES.targets());
    Trainer trainer = SmallRun.trainer(PLAN, other, temp);
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
            new Optimizer.Sgd(0.2, 0.5),
            PLAN.schedule(),
            PLAN.weightDecay(),
            PLAN.averaging(),
            null,
            PLAN.unit(),
            PLAN.adaptive(),
            PLAN.movingRate(),
            PLAN.queries());
    requireCountedAgain(trainer(other).resume(), old);
    assertThat(Files.readString(temp.resolve("run/plan.json")).strip()).isEqualTo(other.toJson());
  }

  /** The header of the ledger would describe users although rows were clipped. */
  @Test
  void resume_planForOtherRecords_isRefusedAndCountsNothing() throws IOException {
    stop(trainer(PLAN));
    String ledger = Files.readString(SmallRun.ledger(temp));
    for (TrainingPlan other : List.of(with(1000, PLAN.unit()), with(500, Unit.user(3)))) {
      assertThatThrownBy(() -> trainer(other).resume())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "must be resumed with its original plan, which protects one example of 500");
      assertThat(Files.readString(SmallRun.ledger(temp))).isEqualTo(ledger);
    }
  }

  private static TrainingPlan with(long population, Unit unit) {
    PrivacyPlan p = PLAN.privacy();
    return new TrainingPlan(
        new PrivacyPlan(
            population, p.expectedBatch(), p.steps(), p.noiseMultiplier(), p.neighboring()),
        PLAN.mechanism(),
        PLAN.optimizer(),
        PLAN.schedule(),
        PLAN.weightDecay(),
        PLAN.averaging(),
        null,
        unit,
        PLAN.adaptive(),
        PLAN.movingRate(),
        PLAN.queries());
  }

  @Test
  void resume_keyLost_countsAgain_afterTheCallback() throws IOException {
    stop(trainer(PLAN));
    RandomKey old = SmallRun.key(temp);
    try (var files = Files.list(temp.resolve("keys"))) {
      Files.delete(files.findFirst().orElseThrow());
    }
    String ledger = Files.readString(SmallRun.ledger(temp));
    Trainer refused =
        trainer(PLAN)
            .recount(
                all -> {
                  throw new IllegalStateException("too much");
                });
    assertThatIllegalStateException().isThrownBy(refused::resume).withMessage("too much");
    assertThat(Files.readString(SmallRun.ledger(temp))).isEqualTo(ledger);

    List<PrivacyEvent> asked = new ArrayList<>();
    TrainingResult result = trainer(PLAN).recount(asked::add).resume();
    requireCountedAgain(result, old);
    assertThat(asked).hasSize(1);
    TightAccountant accountant = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    assertThat(accountant.epsilonBracket(asked.get(0), 1e-5).upper())
        .isGreaterThanOrEqualTo(accountant.epsilonBracket(result.ledger().event(), 1e-5).lower());
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
  void resume_checkpointLost_startsAgainAndCountsAgain() throws IOException {
    stop(trainer(PLAN));
    Files.delete(checkpoint());
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.steps()).isEqualTo(STEPS);
    assertThat(result.ledger().event()).isEqualTo(SmallRun.cost(75 + STEPS));
  }

  @Test
  void resume_olderCheckpoint_isReplayedAtNoCost() throws IOException {
    byte[][] older = new byte[1][];
    Trainer trainer = trainer(PLAN);
    trainer.listener(
        TrainingListener.afterStep(
            (steps, theta) -> {
              if (steps == 10) {
                older[0] = read(checkpoint());
              } else if (steps == STOP) {
                trainer.stop();
              }
            }));
    trainer.run();
    double[] expected = SmallRun.undisturbed(PLAN, SmallRun.key(temp));
    Files.write(checkpoint(), older[0]);
    TrainingResult result = trainer(PLAN).resume();
    assertThat(result.weights()).isEqualTo(expected);
    assertThat(result.ledger().event()).isEqualTo(PLAN.event());
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
    Trainer trainer = SmallRun.trainer(PLAN, other, temp);
    assertThatIllegalStateException()
        .isThrownBy(trainer::resume)
        .withMessageContaining("insecure seed cannot be resumed");
  }

  /**
   * Killed directly after the header was written: the run must use the randomness in the header.
   */
  @Test
  void resume_ledgerWithHeaderOnly_usesTheRandomnessOfTheHeader() throws IOException {
    createLedger("insecure seed 9");
    TrainingResult seeded = trainer(PLAN).resume();
    assertThat(seeded.weights()).isEqualTo(SmallRun.undisturbed(PLAN, RandomKey.insecure(9)));
    Files.delete(SmallRun.ledger(temp));
    Files.delete(checkpoint());
    createLedger(Header.SECURE);
    TrainingResult secure = trainer(PLAN).insecureSeed(9).resume();
    assertThat(secure.weights()).isNotEqualTo(seeded.weights());
    assertThat(secure.ledger().event()).isEqualTo(PLAN.event());
  }

  private void createLedger(String randomness) throws IOException {
    Files.createDirectories(temp.resolve("run/checkpoint"));
    Header header = Header.of("name", Neighboring.ADD_OR_REMOVE_ONE, "example", 500, randomness);
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
  void resume_whileTheRunIsActive_isRefused() {
    trainer(PLAN)
        .listener(
            TrainingListener.afterStep(
                (steps, theta) ->
                    assertThatThrownBy(() -> trainer(PLAN).resume())
                        .isInstanceOf(LedgerLockedException.class)))
        .run();
  }

  /** Under the same key, two runs from different starts would reveal the records without noise. */
  @Test
  void run_twiceWithOneTrainer_usesTwoKeys() {
    Trainer trainer = Trainer.of(PLAN, new SmallRun.Prepared(PLAN, SmallRun.EXAMPLES));
    assertThat(trainer.run().weights()).isNotEqualTo(trainer.run().weights());
  }
}
