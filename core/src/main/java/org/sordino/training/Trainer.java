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
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * Executes a plan by differentially private gradient descent (Algorithm 1 of Abadi et al. 2016,
 * arXiv:1607.00133). {@link PrivateStep#run} is the algorithm; this class begins and resumes runs.
 *
 * <p>With a run directory the run survives being killed at any moment. Steps are reserved in the
 * ledger, durably, before they are computed; checkpoints follow. A resumed run that finds its key,
 * the same records, plan, program and Java replays the steps since the checkpoint bit for bit,
 * which costs nothing; if anything differs, it takes a fresh key and the replayed steps count
 * again.
 */
public final class Trainer {

  /** To be raised whenever a change may alter a bit of a step. */
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
          "a plan with private queries must come with a Preparation that answers "
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

  /** What the ledger says about records must be true of the engine that has them. */
  private static void requireFit(TrainingPlan plan, GradientEngine engine) {
    plan.mechanism().requireLayout(engine.layout());
    if (!engine.unit().equals(plan.unit())) {
      throw new IllegalArgumentException(
          "the engine must have the records of the plan, "
              + plan.unit()
              + ", got "
              + engine.unit()
              + "; make it with the plan's unit");
    }
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

  /** Sets the folder for the key while the run can be resumed (default: the user's folder). */
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
   * before that, with everything that the run may then have cost; an exception ends the run with
   * nothing changed.
   */
  public Trainer recount(Consumer<PrivacyEvent> callback) {
    recounted = callback;
    return this;
  }

  /**
   * Takes all randomness from a seed, for experiments that must be repeatable. Anyone who knows the
   * seed can remove the noise, so such a run states no guarantee.
   */
  public Trainer insecureSeed(long seed) {
    randomness = INSECURE + seed;
    return this;
  }

  /** For tests that let writes fail. */
  Trainer storage(Storage other) {
    storage = other;
    return this;
  }

  /** For tests that need many reservations in few steps. */
  Trainer blockSize(long steps) {
    blockSize = steps;
    return this;
  }

  /** Ends the run after the current step; with a run directory it can be resumed. */
  public void stop() {
    stopped = true;
  }

  /**
   * Runs the plan from its first step.
   *
   * @throws IllegalArgumentException if the run directory has a ledger already
   */
  public TrainingResult run() {
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
   * Continues a run that ended early, for whatever reason; returns the result of one that was
   * complete. Plan, records and start must be given as they were.
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
   * Returns the head of the ledger that the checkpoint in a run directory noted; {@link Head#NONE}
   * if there is no checkpoint.
   */
  public static Head knownHead(Path runDirectory) {
    return RunStorage.checkpoint(runDirectory).map(Checkpoint::head).orElse(Head.NONE);
  }

  /** Carries out what was decided about a run. */
  private final class Resumption implements ResumeDecision.Visitor<TrainingResult> {

    private final Ledger ledger;
    private final RunStorage files;
    private final Optional<Checkpoint> saved;

    Resumption(Ledger ledger, RunStorage files, Optional<Checkpoint> saved) {
      this.ledger = ledger;
      this.files = files;
      this.saved = saved;
    }

    /** Its key is removed, if the run was killed before that. */
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

    /** The steps are done, and counted, once more. */
    @Override
    public TrainingResult restart(String reason) {
      State state = state();
      if (!ledger.contents().header().randomness().equals(Header.SECURE)) {
        throw new IllegalStateException(
            "a run with an insecure seed cannot be resumed: " + reason + "; start it again");
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

  /** Plan, key and state are on disk before the first step is reserved. */
  private TrainingResult trainWithFreshKey(Ledger ledger, RunStorage files, State state) {
    RandomKey key = freshKey(ledger);
    files.writePlan(plan);
    files.storeKey(ledger.contents().header().run(), key);
    TrainingLoop.Checkpoints checkpoints = files.checkpoints(pins(key));
    checkpoints.save(state, ledger.head());
    Map<String, double[]> answers = queries().answerOnce(ledger, key, false, files);
    return conclude(files, train(ledger, state, key, answers, checkpoints));
  }

  /** Removes the key of a run that is over. */
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
   * Never used before, unless the ledger names a seed: two runs under one key would share their
   * noise, and their difference would show the records.
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

  /** What must be unchanged for a replay to be the same bit for bit. */
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

  /** About a second of steps, as far as the plan alone can tell: one fsync each. */
  private static long stepsPerBlock(double expectedBatch, int dimension) {
    double seconds = 20e-6 + 2e-9 * expectedBatch * dimension;
    return Math.max(1, Math.min(1 << 16, Math.round(1 / seconds)));
  }

  /** One ledger speaks of one unit: steps for another would be covered by words that are wrong. */
  private void requireSame(Header noted) {
    PrivacyPlan own = plan.privacy();
    if (noted.neighboring() != own.neighboring()
        || !noted.unit().equals(plan.unit().noun())
        || noted.population() != own.population()) {
      throw new IllegalArgumentException(
          "a run must be resumed with its plan, that of the ledger protects one %s of %d (%s), got one that protects one %s of %d (%s)"
              .formatted(
                  noted.unit(),
                  noted.population(),
                  noted.neighboring(),
                  plan.unit().noun(),
                  own.population(),
                  own.neighboring()));
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
