package org.sordino.training;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.json.JsonObject;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * Executes a plan by differentially private gradient descent (Algorithm 1 of Abadi et al. 2016,
 * arXiv:1607.00133). {@link PrivateStep#run} is the algorithm; this class starts and resumes runs.
 *
 * <p>A run with a run directory survives being killed at any moment. Steps are reserved durably in
 * the ledger before they are computed, and checkpoints are saved between them. A resumed run that
 * finds its key and the same records, plan, program and Java replays the steps since the checkpoint
 * bit for bit, which costs nothing. If anything differs, it uses a fresh key and the replayed steps
 * are counted again.
 */
public final class Trainer {

  /**
   * Version of the arithmetic; must be increased with every change that may alter a bit of a step.
   */
  private static final String ARITHMETIC = "sordino-arithmetic-3";

  private static final String INSECURE = "insecure seed ";

  private final TrainingPlan plan;
  private final Preparation preparation;
  private double[] start;
  private String randomness = Header.SECURE;
  private @Nullable Path directory;
  private KeyFolder keys = KeyFolder.ofUser();
  private Storage storage = Storage.system();
  private Consumer<PrivacyEvent> recounted = all -> {};
  private TrainingListener listener = new TrainingListener() {};
  private long blockSize;
  private volatile boolean stopped;

  private Trainer(TrainingPlan plan, Preparation preparation) {
    this.plan = plan;
    this.preparation = preparation;
    this.start = new double[plan.mechanism().layout().parameters()];
    this.blockSize = stepsPerBlock(plan.privacy().expectedBatch(), start.length);
  }

  /**
   * Creates a trainer for a plan without queries. It starts with all parameters zero and keeps its
   * ledger in memory.
   *
   * @param engine computes the clipped sums over the records; remains open
   */
  public static Trainer of(TrainingPlan plan, GradientEngine engine) {
    if (!plan.queries().isEmpty()) {
      throw new IllegalArgumentException(
          "a plan with private queries requires a Preparation that answers "
              + plan.queries().stream().map(PrivateQuery::name).toList());
    }
    requireFit(plan, engine);
    return new Trainer(plan, Preparation.of(engine));
  }

  /**
   * Creates a trainer. It starts with all parameters zero and keeps its ledger in memory.
   *
   * @param preparation opens the engines; remains open
   */
  public static Trainer of(TrainingPlan plan, Preparation preparation) {
    return new Trainer(plan, preparation);
  }

  /** Throws if the records of the engine are not those that the ledger describes. */
  private static void requireFit(TrainingPlan plan, GradientEngine engine) {
    plan.mechanism().requireLayout(engine.layout());
    if (!engine.unit().equals(plan.unit())) {
      throw new IllegalArgumentException(
          "unit of the engine must be that of the plan, "
              + plan.unit()
              + ", got "
              + engine.unit()
              + "; create the engine with the unit of the plan");
    }
    plan.clipping(engine.roundingSlack()); // throws if a bound is not in the range of the engine
  }

  /** Sets the initial parameters. */
  public Trainer start(double[] parameters) {
    if (parameters.length != start.length) {
      throw new IllegalArgumentException(
          "start must have " + start.length + " parameters, got " + parameters.length);
    }
    start = parameters.clone();
    return this;
  }

  /** Sets the run directory, for plan, ledger and checkpoints. */
  public Trainer in(Path runDirectory) {
    directory = runDirectory;
    return this;
  }

  /**
   * Sets the folder that contains the key while the run can be resumed (default: the user's
   * folder).
   */
  public Trainer keys(KeyFolder folder) {
    keys = folder;
    return this;
  }

  /** Sets the listener, which is called before the first step and after each step. */
  public Trainer listener(TrainingListener newListener) {
    listener = newListener;
    return this;
  }

  /**
   * Sets a callback for resumed runs whose steps and queries must be counted again. It is called
   * before they are counted, with the privacy event of the whole run once it is complete. An
   * exception ends the run and leaves it unchanged.
   */
  public Trainer recount(Consumer<PrivacyEvent> callback) {
    recounted = callback;
    return this;
  }

  /**
   * Derives all randomness from a seed, for reproducible experiments. Anyone who knows the seed can
   * remove the noise, so such a run has no privacy guarantee.
   */
  public Trainer insecureSeed(long seed) {
    randomness = INSECURE + seed;
    return this;
  }

  /** Sets the storage, for tests with failing writes. */
  Trainer storage(Storage other) {
    storage = other;
    return this;
  }

  /**
   * Sets the number of steps per reservation, for tests that need many reservations in few steps.
   */
  Trainer blockSize(long steps) {
    blockSize = steps;
    return this;
  }

  /** Stops the run after the current step. A run with a run directory can be resumed. */
  public void stop() {
    stopped = true;
  }

  /**
   * Runs the plan from its first step.
   *
   * @throws IllegalArgumentException if the run directory already contains a ledger
   */
  public TrainingResult run() {
    if (plan.queries().isEmpty()) {
      requireFit(plan, preparation.trainingEngine(Map.of())); // before anything is written
    }
    if (directory == null) {
      try (Ledger ledger = Ledger.inMemory(header())) {
        RandomKey key = freshKey(ledger);
        Map<String, double[]> answers = queries().answer(ledger, key, false);
        return train(ledger, State.first(plan, start), key, answers, TrainingLoop.Checkpoints.NONE);
      }
    }
    RunStorage files = new RunStorage(directory, keys, storage);
    try (Ledger ledger = files.createLedger(header())) {
      return trainWithFreshKey(ledger, files, State.first(plan, start));
    }
  }

  /**
   * Continues a run that ended early for any reason, or returns the result of a finished run. Plan,
   * records and initial parameters must be those of the original run.
   */
  public TrainingResult resume() {
    if (directory == null) {
      throw new IllegalStateException("only a run with a run directory can be resumed");
    }
    RunStorage files = new RunStorage(directory, keys, storage);
    if (!files.hasLedger()) {
      return run();
    }
    Optional<Checkpoint> saved = files.checkpoint();
    try (Ledger ledger = files.resumeLedger(saved)) {
      LedgerContents contents = ledger.contents();
      requireSame(contents.header());
      return ResumeDecision.of(contents, saved, () -> oldKey(files, contents.header()), this::pins)
          .accept(new Resumption(ledger, files, saved));
    }
  }

  /**
   * Returns the ledger head recorded in the checkpoint of a run directory, or {@link Head#NONE} if
   * there is no checkpoint.
   */
  public static Head knownHead(Path runDirectory) {
    return RunStorage.checkpoint(runDirectory).map(Checkpoint::head).orElse(Head.NONE);
  }

  /** Executes the decision about a resumed run. */
  private final class Resumption implements ResumeDecision.Visitor<TrainingResult> {

    private final Ledger ledger;
    private final RunStorage files;
    private final Optional<Checkpoint> saved;

    Resumption(Ledger ledger, RunStorage files, Optional<Checkpoint> saved) {
      this.ledger = ledger;
      this.files = files;
      this.saved = saved;
    }

    /** Returns the result. Removes the key in case the run was killed before it did so. */
    @Override
    public TrainingResult finished() {
      Map<String, double[]> answers = plan.queries().isEmpty() ? Map.of() : files.finalAnswers();
      LedgerContents contents = ledger.contents();
      files.removeKey(contents.header().run());
      if (saved.isEmpty() || saved.get().step() != contents.steps()) {
        throw new CheckpointDamagedException(
            "the run is finished, but its last checkpoint is missing; restore it from a copy");
      }
      return result(State.of(plan, saved.get()), contents, answers, true);
    }

    @Override
    public TrainingResult begin() {
      return trainWithFreshKey(ledger, files, state());
    }

    @Override
    public TrainingResult replay(RandomKey key, String pins) {
      State state = state();
      Map<String, double[]> answers = queries().answerOnce(ledger, key, true, files);
      return conclude(files, train(ledger, state, key, answers, files.checkpoints(pins)));
    }

    /** Runs the remaining steps under a fresh key; repeated steps are counted again. */
    @Override
    public TrainingResult restart(String reason) {
      State state = state();
      if (!ledger.contents().header().randomness().equals(Header.SECURE)) {
        throw new IllegalStateException(
            "a run with an insecure seed cannot be resumed: " + reason + "; start a new run");
      }
      long left = plan.privacy().steps() - state.step;
      recounted.accept(
          new PrivacyEvent.Composition(List.of(ledger.contents().event(), plan.event(left))));
      ledger.restart(state.step, reason);
      return trainWithFreshKey(ledger, files, state);
    }

    private State state() {
      return saved.map(s -> State.of(plan, s)).orElseGet(() -> State.first(plan, start));
    }
  }

  /** Trains with a fresh key. Plan, key and state are on disk before the first step is reserved. */
  private TrainingResult trainWithFreshKey(Ledger ledger, RunStorage files, State state) {
    RandomKey key = freshKey(ledger);
    files.writePlan(plan);
    files.storeKey(ledger.contents().header().run(), key);
    TrainingLoop.Checkpoints checkpoints = files.checkpoints(pins(key));
    checkpoints.save(state, ledger.head());
    Map<String, double[]> answers = queries().answerOnce(ledger, key, false, files);
    return conclude(files, train(ledger, state, key, answers, checkpoints));
  }

  /** Removes the key of a run that has ended. */
  private static TrainingResult conclude(RunStorage files, TrainingResult result) {
    if (result.outcome() != TrainingResult.Outcome.STOPPED) {
      files.removeKey(result.ledger().header().run());
    }
    return result;
  }

  private TrainingResult train(
      Ledger ledger,
      State state,
      RandomKey key,
      Map<String, double[]> answers,
      TrainingLoop.Checkpoints checkpoints) {
    GradientEngine engine = preparation.trainingEngine(answers);
    requireFit(plan, engine);
    double insideDecay = plan.weightDecay().at(WeightDecay.Place.INSIDE_CLIP);
    PrivateStep step =
        new PrivateStep(plan.privacy(), plan.mechanism(), insideDecay, engine, key, ledger);
    listener.queriesAnswered(answers);
    boolean complete =
        new TrainingLoop(plan, state, ledger, step, checkpoints, listener, blockSize, () -> stopped)
            .run();
    if (complete) {
      ledger.finish(state.step);
    }
    return result(state, ledger.contents(), answers, complete);
  }

  private TrainingResult result(
      State state, LedgerContents contents, Map<String, double[]> answers, boolean complete) {
    TrainingResult.Outcome outcome =
        !complete
            ? TrainingResult.Outcome.STOPPED
            : state.step < plan.privacy().steps()
                ? TrainingResult.Outcome.BUDGET_REACHED
                : TrainingResult.Outcome.COMPLETED;
    return new TrainingResult(state.model(), state.step, outcome, contents, answers);
  }

  private PrivateQueries queries() {
    return new PrivateQueries(plan, preparation);
  }

  /**
   * Returns a new random key or, if the ledger contains a seed, the key of that seed. Two runs
   * under the same key would share their noise, and the difference of their results would reveal
   * the records.
   */
  private static RandomKey freshKey(Ledger ledger) {
    return seeded(ledger.contents().header()).orElseGet(RandomKey::secure);
  }

  private static Optional<RandomKey> oldKey(RunStorage files, Header header) {
    return seeded(header).or(() -> files.findKey(header.run()));
  }

  private static Optional<RandomKey> seeded(Header header) {
    if (!header.randomness().startsWith(INSECURE)) {
      return Optional.empty();
    }
    long seed = Long.parseLong(header.randomness().substring(INSECURE.length()));
    return Optional.of(RandomKey.insecure(seed));
  }

  /** Returns everything that must be unchanged for a bit-for-bit replay. */
  private String pins(RandomKey key) {
    return String.join(
        " ",
        ARITHMETIC,
        System.getProperty("java.vm.name"),
        System.getProperty("java.vm.version"),
        System.getProperty("os.arch"),
        HexFormat.of().formatHex(Digests.sha256(plan.toJson().getBytes(StandardCharsets.UTF_8))),
        HexFormat.of().formatHex(preparation.fingerprint(key.derive("fingerprint"))));
  }

  /**
   * Estimates from the plan how many steps take about a second; each block of steps needs one
   * fsync.
   */
  private static long stepsPerBlock(double expectedBatch, int dimension) {
    double seconds = 20e-6 + 2e-9 * expectedBatch * dimension;
    return Math.max(1, Math.min(1 << 16, Math.round(1 / seconds)));
  }

  /**
   * Throws if the ledger has another unit, population or neighboring relation than the plan.
   * Otherwise its header would describe the new steps incorrectly.
   */
  private void requireSame(Header noted) {
    PrivacyPlan own = plan.privacy();
    if (noted.neighboring() != own.neighboring()
        || !noted.unit().equals(plan.unit().noun())
        || noted.population() != own.population()) {
      throw new IllegalArgumentException(
          ("a run must be resumed with its original plan, which protects one %s of %d (%s), got a"
                  + " plan that protects one %s of %d (%s)")
              .formatted(
                  noted.unit(),
                  noted.population(),
                  JsonObject.spelling(noted.neighboring()),
                  plan.unit().noun(),
                  own.population(),
                  JsonObject.spelling(own.neighboring())));
    }
  }

  private Header header() {
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    return Header.of(
        HexFormat.of().formatHex(id),
        plan.privacy().neighboring(),
        plan.unit().noun(),
        plan.privacy().population(),
        randomness);
  }
}
