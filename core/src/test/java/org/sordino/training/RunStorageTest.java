package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.ledger.FaultyStorage;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

class RunStorageTest {

  private static final Header HEADER =
      Header.of("run", Neighboring.ADD_OR_REMOVE_ONE, "example", 500, Header.SECURE);

  @TempDir Path temp;
  private final FaultyStorage disk = new FaultyStorage();
  private RunStorage files;

  @BeforeEach
  void createRun() {
    files = files(disk);
    files.createLedger(HEADER).close();
  }

  private RunStorage files(Storage storage) {
    return new RunStorage(temp.resolve("run"), new KeyFolder(temp.resolve("keys")), storage);
  }

  private long operations(Runnable action) {
    long before = disk.operations();
    action.run();
    return disk.operations() - before;
  }

  @Test
  void writePlan_writesOnlyIfMissingOrChanged() throws IOException {
    TrainingPlan plan = SmallRun.plan(10);
    Path file = temp.resolve("run/plan.json");
    assertThat(operations(() -> files.writePlan(plan))).isPositive();
    assertThat(Files.readString(file)).isEqualTo(plan.toJson() + "\n");
    assertThat(operations(() -> files.writePlan(plan))).isZero();
    Files.delete(file);
    assertThat(operations(() -> files.writePlan(plan))).isPositive();
    assertThat(Files.readString(file)).isEqualTo(plan.toJson() + "\n");
    files.writePlan(SmallRun.plan(11));
    assertThat(Files.readString(file)).isEqualTo(SmallRun.plan(11).toJson() + "\n");
  }

  @Test
  void createLedger_directoryWithLedger_isRefused() {
    assertThat(files.hasLedger()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> files.createLedger(HEADER))
        .withMessageContaining("the run directory must be new");
  }

  @Test
  void key_isStoredFoundAndRemoved_unlessItIsASeed() {
    assertThat(files.findKey("run")).isEmpty();
    files.storeKey("run", RandomKey.insecure(1));
    assertThat(files.findKey("run")).isEmpty();
    RandomKey key = RandomKey.secure();
    files.storeKey("run", key);
    assertThat(files.findKey("run")).contains(key);
    files.removeKey("run");
    assertThat(files.findKey("run")).isEmpty();
  }

  @Test
  void answers_belongToTheRun() {
    assertThat(files.answers("run")).isEmpty();
    files.writeAnswers("run", Map.of("mean", new double[] {1, -0.1, 1e-300}));
    Optional<Map<String, double[]>> answers = files.answers("run");
    assertThat(answers).isPresent();
    assertThat(answers.get()).containsOnlyKeys("mean");
    assertThat(answers.get().get("mean")).containsExactly(1, -0.1, 1e-300);
    assertThat(files.finalAnswers().get("mean")).containsExactly(1, -0.1, 1e-300);
    assertThat(files.answers("another run")).isEmpty();
  }

  @Test
  void answers_damagedOrMissing_areRefused() throws IOException {
    assertThatThrownBy(files::finalAnswers)
        .isInstanceOf(CheckpointDamagedException.class)
        .hasMessageContaining("answers.safetensors is missing");
    Files.write(temp.resolve("run/checkpoint/answers.safetensors"), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> files.answers("run"))
        .isInstanceOf(CheckpointDamagedException.class)
        .hasMessageContaining("is damaged");
    assertThatThrownBy(files::finalAnswers).isInstanceOf(CheckpointDamagedException.class);
  }

  @Test
  void checkpoint_roundTrip() {
    TrainingPlan plan = SmallRun.plan(10);
    assertThat(files.checkpoint()).isEmpty();
    State state = State.first(plan, new double[plan.mechanism().layout().parameters()]);
    TrainingLoop.Checkpoints checkpoints = files.checkpoints("pins");
    assertThat(checkpoints.isDue()).isFalse();
    checkpoints.save(state, Head.NONE);
    Checkpoint saved = files.checkpoint().orElseThrow();
    assertThat(saved.step()).isZero();
    assertThat(saved.pins()).isEqualTo("pins");
    assertThat(saved.arrays()).isDeepEqualTo(state.arrays());
  }
}
