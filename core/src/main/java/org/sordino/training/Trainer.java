package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Storage;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;

/**
 * Executes a plan: Algorithm 1 of Abadi et al. (2016, arXiv:1607.00133). The loop is in {@link
 * #train}; the part that touches records in {@link PrivateStep}.
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

  private static final double SECONDS_BETWEEN_CHECKPOINTS = 10;
  private static final String PLAN = "plan.json";
  private static final String LEDGER = "ledger.jsonl";
  private static final String CHECKPOINT_FOLDER = "checkpoint";
  private static final String CHECKPOINT = CHECKPOINT_FOLDER + "/state";
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

  /** A trainer that begins with all parameters zero and keeps its ledger in memory. */
  public static Trainer of(TrainingPlan plan, GradientEngine engine) {
    if (!plan.queries().isEmpty()) {
      throw new IllegalArgumentException(
          "a plan with questions must come with a Preparation that answers "
              + plan.queries().stream().map(PrivateQuery::name).toList());
    }
    requireFit(plan, engine);
    return new Trainer(plan, Preparation.of(engine));
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

  /** The same for records about which the plan asks queries first. */
  public static Trainer of(TrainingPlan plan, Preparation preparation) {
    return new Trainer(plan, preparation);
  }

  /** The parameters to begin with. */
  public Trainer start(double[] parameters) {
    if (parameters.length != start.length) {
      throw new IllegalArgumentException(
          "start must have " + start.length + " parameters, got " + parameters.length);
    }
    start = parameters.clone();
    return this;
  }

  /** Where plan, ledger and checkpoints go. */
  public Trainer in(Path runDirectory) {
    directory = runDirectory;
    return this;
  }

  /** Where the key waits while the run can be resumed; the user's folder by default. */
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
   * Who is told, before a resumed run counts steps and queries again, what all of it may come to;
   * an exception ends the run with nothing changed.
   */
  public Trainer recount(Consumer<PrivacyEvent> told) {
    recounted = told;
    return this;
  }

  /**
   * Takes all randomness from a seed, for experiments that must be repeatable. Whoever knows the
   * seed can take the noise off; such a run states no guarantee.
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
    Path folder = directory;
    if (folder == null) {
      try (Ledger ledger = Ledger.inMemory(header())) {
        RandomKey key = freshKey(ledger);
        return train(ledger, State.first(plan, start), key, queries().ask(ledger, key), null);
      }
    }
    prepare(folder);
    try (Ledger ledger = Ledger.create(storage, folder.resolve(LEDGER), header())) {
      return trainWithFreshKey(ledger, folder, State.first(plan, start));
    }
  }

  /**
   * Goes on with a run that ended early, for whatever reason; returns the result of one that was
   * complete. Plan, records and start must be given as they were.
   */
  public TrainingResult resume() {
    Path folder = directory;
    if (folder == null) {
      throw new IllegalStateException("only a run with a run directory can be resumed");
    }
    Path file = folder.resolve(LEDGER);
    if (!Files.exists(file)) {
      return run();
    }
    Path checkpoint = folder.resolve(CHECKPOINT);
    Optional<Checkpoint> saved =
        Files.exists(checkpoint) ? Optional.of(Checkpoint.read(checkpoint)) : Optional.empty();
    Head known = saved.map(Checkpoint::head).orElse(Head.NONE);
    try (Ledger ledger = Ledger.resume(storage, file, known)) {
      LedgerContents contents = ledger.contents();
      requireSame(contents.header());
      if (contents.finished()) {
        return finished(contents, saved, queries().recall(folder));
      }
      if (saved.isEmpty() && contents.reserved() == 0) {
        return trainWithFreshKey(ledger, folder, State.first(plan, start));
      }
      State state = saved.map(s -> State.of(plan, s)).orElseGet(() -> State.first(plan, start));
      Optional<RandomKey> old = oldKey(contents.header());
      if (old.isPresent() && saved.isPresent()) {
        String pins = pins(old.get());
        if (saved.get().pins().equals(pins)) {
          Map<String, double[]> answers = queries().replay(ledger, old.get(), folder);
          return train(ledger, state, old.get(), answers, new CheckpointFile(checkpoint, pins));
        }
      }
      String reason =
          old.isEmpty()
              ? "the key of the run was not found"
              : saved.isEmpty()
                  ? "the checkpoint was not found"
                  : "records, plan, program, Java or processor have changed";
      return restart(ledger, folder, state, reason);
    }
  }

  /**
   * The head of the ledger that the checkpoint in a run directory noted; {@link Head#NONE} if there
   * is no checkpoint.
   */
  public static Head knownHead(Path runDirectory) {
    Path checkpoint = runDirectory.resolve(CHECKPOINT);
    return Files.exists(checkpoint) ? Checkpoint.read(checkpoint).head() : Head.NONE;
  }

  private PrivateQueries queries() {
    return new PrivateQueries(plan, preparation, storage);
  }

  /** A replay would not be the same bit for bit: the steps are done, and counted, once more. */
  private TrainingResult restart(Ledger ledger, Path folder, State state, String reason) {
    if (!ledger.contents().header().randomness().equals(Header.SECURE)) {
      throw new IllegalStateException(
          "a run with an insecure seed cannot be resumed: " + reason + "; start it again");
    }
    long left = plan.privacy().steps() - state.step;
    recounted.accept(
        new PrivacyEvent.Composition(List.of(ledger.contents().event(), plan.event(left))));
    ledger.restart(state.step, reason);
    return trainWithFreshKey(ledger, folder, state);
  }

  /** Plan, key and state are on disk before the first step is reserved. */
  private TrainingResult trainWithFreshKey(Ledger ledger, Path folder, State state) {
    RandomKey key = freshKey(ledger);
    byte[] text = (plan.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
    RunFiles.replace(storage, folder.resolve(PLAN), text);
    if (!key.isInsecure()) {
      keys.store(storage, ledger.contents().header().run(), key);
    }
    CheckpointFile file = new CheckpointFile(folder.resolve(CHECKPOINT), pins(key));
    file.save(state, ledger.head());
    return train(ledger, state, key, queries().ask(ledger, key, folder), file);
  }

  /** What a run that is over ended with; its key goes, if the run was killed before that. */
  private TrainingResult finished(
      LedgerContents contents, Optional<Checkpoint> saved, Map<String, double[]> answers) {
    keys.remove(storage, contents.header().run());
    if (saved.isEmpty() || saved.get().step() != contents.steps()) {
      throw new CheckpointDamagedException(
          "the run is finished, but its last checkpoint is missing; restore it from a copy");
    }
    return result(State.of(plan, saved.get()), contents, answers);
  }

  /**
   * Never used before, unless the ledger names a seed: two runs under one key would share their
   * noise, and their difference would show the records.
   */
  private static RandomKey freshKey(Ledger ledger) {
    return seeded(ledger.contents().header()).orElseGet(RandomKey::secure);
  }

  private Optional<RandomKey> oldKey(Header header) {
    return seeded(header).or(() -> keys.find(header.run()));
  }

  private static Optional<RandomKey> seeded(Header header) {
    if (!header.randomness().startsWith(INSECURE)) {
      return Optional.empty();
    }
    long seed = Long.parseLong(header.randomness().substring(INSECURE.length()));
    return Optional.of(RandomKey.insecure(seed));
  }

  /** Algorithm 1. */
  private TrainingResult train(
      Ledger ledger,
      State state,
      RandomKey key,
      Map<String, double[]> answers,
      @Nullable CheckpointFile file) {
    GradientEngine engine = preparation.trainingEngine(answers);
    requireFit(plan, engine);
    PrivateStep step =
        new PrivateStep(plan.privacy(), plan.mechanism(), insideDecay(), engine, key, ledger);
    long reserved = ledger.contents().reserved();
    long last = affordable(ledger.contents(), step.event());
    listener.queriesAnswered(answers);
    while (state.step < last && !stopped) {
      if (state.step >= reserved) {
        long block = Math.min(blockSize, last - reserved);
        ledger.reserve(step.event(), reserved, block);
        reserved += block;
        save(file, state, ledger);
      } else if (file != null && file.isDue()) {
        save(file, state, ledger);
      }
      if (plan.adaptive() != null) {
        step.scale(state.factors);
      }
      step.run(
          state.step,
          state.theta,
          released -> {
            state.descend(released);
            listener.stepCompleted(state.step, state.theta, metrics(released));
          });
    }
    save(file, state, ledger);
    if (state.step < last) {
      return new TrainingResult(
          state.model(), state.step, TrainingResult.Outcome.STOPPED, ledger.contents(), answers);
    }
    ledger.finish(state.step);
    if (file != null) {
      keys.remove(storage, ledger.contents().header().run());
    }
    return result(state, ledger.contents(), answers);
  }

  private Map<Metric.Kind, double[]> metrics(double[] released) {
    Layout layout = plan.mechanism().layout();
    if (start.length == released.length) {
      return Map.of();
    }
    Map<Metric.Kind, double[]> metrics = new EnumMap<>(Metric.Kind.class);
    int at = start.length;
    for (Layout.Vector vector : layout.vectors(Layout.Role.METRIC)) {
      Metric.Kind kind = Metric.Kind.of(vector);
      double[] values = Arrays.copyOfRange(released, at, at + vector.dimension());
      Arrays.setAll(values, i -> kind.read(values[i]));
      metrics.put(kind, values);
      at += vector.dimension();
    }
    return metrics;
  }

  private TrainingResult result(
      State state, LedgerContents contents, Map<String, double[]> answers) {
    TrainingResult.Outcome outcome =
        state.step < plan.privacy().steps()
            ? TrainingResult.Outcome.BUDGET_REACHED
            : TrainingResult.Outcome.COMPLETED;
    return new TrainingResult(state.model(), state.step, outcome, contents, answers);
  }

  /** Up to which step the budget reaches; what is reserved already is paid for. */
  private long affordable(LedgerContents contents, PrivacyEvent event) {
    long steps = plan.privacy().steps();
    PrivacyBudget budget = plan.budget();
    if (budget == null) {
      return steps;
    }
    TightAccountant accountant = TightAccountant.of(plan.privacy().neighbouring());
    long reserved = contents.reserved();
    long low = 0;
    long high = Math.max(0, steps - reserved);
    while (low < high) {
      // The whole is tried first: it is the answer unless steps had to be counted again.
      long count = high == steps - reserved && low == 0 ? high : low + (high - low + 1) / 2;
      PrivacyEvent all =
          new PrivacyEvent.Composition(List.of(contents.event(), event.times(count)));
      boolean fits = accountant.epsilonBracket(all, budget.delta()).upper() <= budget.epsilon();
      if (fits) {
        low = count;
      } else {
        high = count - 1;
      }
    }
    return Math.min(steps, reserved + low);
  }

  /** About a second of steps, as far as the plan alone can tell: one fsync each. */
  private static long stepsPerBlock(double expectedBatch, int dimension) {
    double seconds = 20e-6 + 2e-9 * expectedBatch * dimension;
    return Math.max(1, Math.min(1 << 16, Math.round(1 / seconds)));
  }

  private double insideDecay() {
    return plan.weightDecay().at(WeightDecay.Place.INSIDE_CLIP);
  }

  private static void save(@Nullable CheckpointFile file, State state, Ledger ledger) {
    if (file != null) {
      file.save(state, ledger.head());
    }
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

  /** One ledger speaks of one unit: steps for another would be covered by words that are wrong. */
  private void requireSame(Header noted) {
    PrivacyPlan own = plan.privacy();
    if (noted.neighbouring() != own.neighbouring()
        || !noted.unit().equals(plan.unit().noun())
        || noted.population() != own.population()) {
      throw new IllegalArgumentException(
          "a run must be resumed with its plan, that of the ledger protects one %s of %d (%s), got one that protects one %s of %d (%s)"
              .formatted(
                  noted.unit(),
                  noted.population(),
                  noted.neighbouring(),
                  plan.unit().noun(),
                  own.population(),
                  own.neighbouring()));
    }
  }

  private Header header() {
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    return Header.of(
        HexFormat.of().formatHex(id),
        plan.privacy().neighbouring(),
        plan.unit().noun(),
        plan.privacy().population(),
        randomness);
  }

  private void prepare(Path folder) {
    if (Files.exists(folder.resolve(LEDGER))) {
      throw new IllegalArgumentException(
          "the run directory must be new, but "
              + folder
              + " has a ledger already; resume that run or choose another directory");
    }
    try {
      RunFiles.createFolder(storage, folder.resolve(CHECKPOINT_FOLDER));
    } catch (IOException e) {
      throw new UncheckedIOException("the run directory cannot be made: " + folder, e);
    }
  }

  /** Saves checkpoints to one place. */
  private final class CheckpointFile {

    private final Path file;
    private final String pins;
    private long savedAt = System.nanoTime();

    CheckpointFile(Path file, String pins) {
      this.file = file;
      this.pins = pins;
    }

    boolean isDue() {
      return System.nanoTime() - savedAt > SECONDS_BETWEEN_CHECKPOINTS * 1e9;
    }

    void save(State state, Head head) {
      new Checkpoint(state.step, head, pins, state.arrays()).write(storage, file);
      savedAt = System.nanoTime();
    }
  }
}
