package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.report.Decimals;
import org.sordino.run.BudgetFile;
import org.sordino.run.Run;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;
import org.sordino.training.Unit;

/** Records of several examples and private releases other than gradients, on small tables. */
class RecordsTest {

  private static final int ROWS = 600;
  private static final int USERS = 60;

  @TempDir Path temp;
  private Path visits;

  /** Writes a table in which the first of 60 users has half of the rows. */
  @BeforeEach
  void write() throws IOException {
    SplittableRandom random = new SplittableRandom(3);
    StringBuilder text = new StringBuilder("id,x,y,z,ill\n");
    for (int i = 0; i < ROWS; i++) {
      String user = i % 2 == 0 ? "u0" : "u" + i / 2 % USERS;
      double x = random.nextDouble();
      double y = 10 * random.nextDouble();
      boolean ill = x + y / 10 + 0.2 * random.nextDouble() > 1.1;
      text.append("%s,%.3f,%.3f,%.3f,%d\n".formatted(user, x, y, x + 0.1, ill ? 1 : 0));
    }
    visits = Files.writeString(temp.resolve("visits.csv"), text);
  }

  private Path run() {
    return temp.resolve("run");
  }

  private Console.Outcome train(String options) {
    Console.Outcome outcome =
        Console.line("train --data %s --label ill %s --out %s".formatted(visits, options, run()));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome;
  }

  private TrainingPlan plan() throws IOException {
    return TrainingPlan.fromJson(Files.readString(run().resolve("plan.json")));
  }

  private LedgerContents ledger() {
    return Ledger.read(run().resolve("ledger.jsonl"));
  }

  private String statement() throws IOException {
    return Files.readString(run().resolve("statement.md"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--model mlp"})
  void users_areCountedProtectedAndHeldOutWithAllTheirRows(String model) throws IOException {
    Map<String, Object> json =
        train(
                "--epsilon 8 --unit user --user-column id --examples-per-record 5 --steps 20"
                    + " --holdout 0.3 --json "
                    + model)
            .json();

    assertThat(json)
        .containsEntry("unit", "user")
        .containsEntry("protects", "one user added or removed, with all of their examples");
    assertThat(plan().unit()).isEqualTo(Unit.user(5));
    assertThat(plan().privacy().population()).isBetween(30L, 55L);
    assertThat(ledger().header().unit()).isEqualTo("user");
    assertThat(statement())
        .contains("differential privacy for every user")
        .contains("at most 5 examples of one user")
        .contains("users were held out with all of their examples");
    assertThat(Files.readString(run().resolve("model.json"))).doesNotContain("\"id=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--model mlp --local-learning-rate 0.05"})
  void userUpdates_trainLocally(String model) throws IOException {
    train(
        "--epsilon 8 --unit user-update --user-column id --local-epochs 2 --local-batch 4 --steps 5 "
            + model);

    assertThat(plan().unit().kind()).isEqualTo(Unit.Kind.USER_UPDATE);
    assertThat(plan().unit().examples()).isEqualTo(32);
    assertThat(plan().unit().local().epochs()).isEqualTo(2);
    assertThat(statement()).contains("combined into the model update from local training");
  }

  @Test
  void microbatches_protectAnExampleByReplacement() throws IOException {
    train("--epsilon 4 --unit microbatch --examples-per-record 8 --steps 20");

    assertThat(plan().privacy().population()).isEqualTo(75);
    assertThat(plan().privacy().neighboring()).isEqualTo(Neighboring.REPLACE_ONE);
    assertThat(statement())
        .contains("differential privacy for every example")
        .contains("Whether any one example of")
        .contains("one example added or removed");
    String account = "account --delta 1e-5 --ledger " + run().resolve("ledger.jsonl");
    assertThat(Console.line(account).out()).contains("one microbatch replaced");
    assertThat(Console.line(account + " --json").json())
        .containsEntry("unit", "microbatch")
        .containsEntry("protects", "one microbatch replaced");
  }

  @Test
  void declaredPopulation_isOfUsersOrOfExamples() {
    Console.Outcome users =
        Console.line(
            "plan --data %s --label ill --epsilon 4 --unit user --user-column id --population 50 --json"
                .formatted(visits));
    Console.Outcome slots =
        Console.line(
            "plan --data %s --label ill --epsilon 4 --unit microbatch --examples-per-record 7 --population 1000 --json"
                .formatted(visits));

    assertThat(((Map<?, ?>) users.json().get("plan")).get("population")).isEqualTo(50L);
    assertThat(((Map<?, ?>) slots.json().get("plan")).get("population")).isEqualTo(143L);
  }

  /** The cost equals the composition written down by hand. */
  @Test
  void metricsAdaptiveClippingAndNormalization_costTheHandComputedComposition() throws IOException {
    train(
        "--noise-multiplier 2 --batch 60 --steps 40 --metrics loss,accuracy,classes"
            + " --adaptive-clip 0.5 --clip 0.1 --normalize --normalize-noise 7");

    PrivacyEvent byHand =
        new PrivacyEvent.Composition(
            List.of(
                new PrivacyEvent.Gaussian(7),
                new PrivacyEvent.SampledGaussian(60.0 / ROWS, 2).times(40)));
    double epsilon =
        TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilonBracket(byHand, 1e-5).upper();
    Console.Outcome account =
        Console.line("account --ledger %s --json".formatted(run().resolve("ledger.jsonl")));
    assertThat(((Map<?, ?>) account.json().get("tight")).get("upper")).isEqualTo(epsilon);
    assertThat(statement())
        .contains("(%s, 1e-5)-differential privacy".formatted(Decimals.up(epsilon, 5)))
        .contains("normalization (noise multiplier 7)")
        .contains("metric.unclipped")
        .containsPattern(
            "metric\\.loss \\| metric\\.loss \\| [^|]* \\| 10 \\| [0-9.]+ \\| 1\\.00%");
    assertThat(Files.readString(run().resolve("report.html")))
        .contains("Private loss on training records over the steps")
        .contains("Clipping bound over the steps")
        .contains("private query before training: normalization");
  }

  @Test
  void adaptiveBound_followsTheData_andIsInTheLedger() {
    train("--noise-multiplier 0.5 --batch 300 --steps 60 --adaptive-clip 0.5 --clip 0.001");

    List<Double> bounds =
        ledger().entries().stream()
            .filter(Entry.RealizedEntry.class::isInstance)
            .map(entry -> ((Entry.RealizedEntry) entry).groups().get(0).bound())
            .toList();
    assertThat(bounds.get(0)).isEqualTo(0.001);
    assertThat(bounds.get(bounds.size() - 1)).isGreaterThan(0.02);
  }

  @Test
  void privateMetrics_haveAFileThatIsPrivate() throws IOException {
    Map<String, Object> json =
        train("--epsilon 8 --batch 300 --steps 50 --metrics loss,accuracy,classes,unclipped --json")
            .json();

    List<String> lines = Files.readAllLines(run().resolve("private-metrics.csv"));
    assertThat(lines.get(0))
        .isEqualTo("steps,averagedOver,loss,accuracy,classes 0,classes 1,unclipped");
    assertThat(lines).hasSize(26);
    assertThat(lines.get(25)).startsWith("50,2,");
    Map<?, ?> last = (Map<?, ?>) json.get("privateMetrics");
    assertThat((Double) last.get("accuracy")).isBetween(0.3, 1.3);
    assertThat(Files.readAllLines(run().resolve("metrics.csv")).get(0))
        .contains("testAccuracy (not private)");
    assertThat(statement()).doesNotContain("another record cross it through rounding");
  }

  @Test
  void metricsOfANetworkThatJump_areALimitOfTheStatement() throws IOException {
    train("--epsilon 8 --batch 300 --steps 5 --model mlp --metrics accuracy");
    assertThat(statement()).contains("another record cross it through rounding");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--normalize",
        "--normalize --model mlp",
        "--pca 2",
        "--pca 2 --model mlp",
      })
  void preprocessing_isPartOfTheModel(String option) throws IOException {
    Console.Outcome trained =
        train(option + " --epsilon 50 --steps 120 --batch 300 --holdout 0.2 --json");

    double inRun = (Double) ((Map<?, ?>) trained.json().get("test")).get("accuracy");
    assertThat(inRun).isGreaterThan(0.75);
    Safetensors model = Safetensors.ofBytes(Files.readAllBytes(run().resolve("model.safetensors")));
    assertThat(model.tensors().values().iterator().next().shape().get(1)).isEqualTo(3);
    Console.Outcome evaluated =
        Console.line("evaluate --run %s --data %s --json".formatted(run(), visits));
    assertThat(evaluated.code()).as(evaluated.err()).isZero();
    assertThat(evaluated.number("accuracy")).isGreaterThan(0.75);
    assertThat(ledger().entries()).filteredOn(Entry.Query.class::isInstance).hasSize(1);
  }

  @Test
  void finishedRunWithQueries_canBeResumed_andStaysTheSame() throws IOException {
    train(
        "--pca 2 --epsilon 8 --steps 30 --metrics loss --unit user --user-column id"
            + " --adaptive-clip 0.6");
    byte[] model = Files.readAllBytes(run().resolve("model.safetensors"));
    String metrics = Files.readString(run().resolve("private-metrics.csv"));

    Console.Outcome resumed = Console.line("resume " + run() + " --json");

    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(Files.readAllBytes(run().resolve("model.safetensors"))).isEqualTo(model);
    assertThat(Files.readString(run().resolve("private-metrics.csv"))).isEqualTo(metrics);
    assertThat((Map<?, ?>) resumed.json().get("privateMetrics")).hasSize(2);
    assertThat((List<?>) resumed.json().get("questions")).hasSize(1);
  }

  /**
   * A run that is stopped, as by Ctrl-C, and then resumed has the same weights as an uninterrupted
   * run.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--normalize --metrics loss,accuracy --adaptive-clip 0.5",
        "--pca 2 --unit user --user-column id --metrics unclipped",
        "--unit microbatch --examples-per-record 4 --normalize --metrics loss",
        "--unit user-update --user-column id --metrics loss --normalize"
      })
  void stoppedRun_resumesToTheSameBitsAtTheSameCost(String options) throws IOException {
    train(options + " --noise-multiplier 1 --steps 50 --insecure-seed 4");
    Path stopped = temp.resolve("stopped");
    stopAfter(23, stopped);

    Console.Outcome resumed = Console.line("resume " + stopped);

    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(model(stopped)).isEqualTo(model(run()));
    assertThat(Ledger.read(stopped.resolve("ledger.jsonl")).event()).isEqualTo(ledger().event());
    List<String> rows = Files.readAllLines(stopped.resolve("private-metrics.csv"));
    assertThat(rows).doesNotHaveDuplicates();
    assertThat(rows.subList(13, rows.size()))
        .isEqualTo(
            Files.readAllLines(run().resolve("private-metrics.csv")).subList(13, rows.size()));
  }

  private void stopAfter(long step, Path stopped) {
    Run whole = Run.open(run());
    AtomicLong completed = new AtomicLong();
    Run part =
        Training.of(Task.of(whole.task()))
            .insecureSeed(4)
            .onProgress(now -> completed.set(now.step()))
            .stopWhen(() -> completed.get() == step)
            .run(stopped, whole.plan());
    assertThat(part.outcome()).isEqualTo(TrainingResult.Outcome.STOPPED);
  }

  private static Map<String, List<Double>> model(Path run) throws IOException {
    Map<String, List<Double>> numbers = new TreeMap<>();
    Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")))
        .tensors()
        .forEach(
            (name, tensor) -> numbers.put(name, Arrays.stream(tensor.values()).boxed().toList()));
    return numbers;
  }

  @Test
  void batchNorm_getsAGroupForItsStatistics() throws IOException {
    Path network =
        Files.writeString(
            temp.resolve("net.json"),
            """
            {"input": [3], "layers": [
              {"type": "linear", "out": 8}, {"type": "batch-norm", "name": "norm"},
              {"type": "relu"}, {"type": "linear", "out": 2}]}
            """);
    train(
        "--model %s --epsilon 20 --steps 20 --batch 200 --baseline --holdout 0.2"
            .formatted(network));

    assertThat(statement())
        .containsPattern(
            "statistics \\| norm.running_mean, norm.running_var \\| .* \\| 2 \\|.* 10.0%");
    Console.Outcome update =
        Console.line(
            "train --data %s --label ill --epsilon 1 --unit user-update --user-column id --model %s"
                .formatted(visits, network));
    assertThat(update.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(update.err()).contains("norm.running_mean", "group-norm").hasLineCount(1);
  }

  @Test
  void plan_showsGroupsQueriesAndEffectsOfSettings() {
    Console.Outcome outcome =
        Console.line(
            "plan --data %s --label ill --epsilon 2 --metrics loss,accuracy --normalize --json"
                .formatted(visits));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    Map<String, ?> json = outcome.json();
    assertThat((Double) json.get("epsilon")).isBetween(1.99, 2.0);
    assertThat((List<?>) json.get("knobs"))
        .extracting(knob -> String.valueOf(((Map<?, ?>) knob).get("change")))
        .contains(
            "twice the noise",
            "twice the batch",
            "twice the steps",
            "without metric.loss",
            "without metric.accuracy",
            "without normalisation");
    List<?> groups = (List<?>) json.get("groups");
    assertThat(groups).hasSize(3);
    assertThat(groups.stream().mapToDouble(g -> (Double) ((Map<?, ?>) g).get("share")).sum())
        .isCloseTo(1, within(1e-9));
    assertThat((List<?>) json.get("questions")).hasSize(1);
  }

  /**
   * Any one of noise, batch and steps is computed for the whole plan, including queries and
   * metrics.
   */
  @Test
  void plan_computesTheMissingOption() {
    String whole =
        "plan --data %s --label ill --epsilon 2 --metrics loss --normalize --json "
            .formatted(visits);

    Map<String, ?> noise = Console.line(whole + "--batch 100 --steps 50").json();
    double z = (Double) noise.get("noiseMultiplier");
    Map<String, ?> steps =
        Console.line(whole + "--batch 100 --noise-multiplier " + z * 1.0001).json();
    Map<String, ?> batch =
        Console.line(whole + "--steps 50 --noise-multiplier " + z * 1.0001).json();

    assertThat((Double) noise.get("epsilon")).isBetween(1.999, 2.0);
    assertThat(steps.get("steps")).isEqualTo(50L);
    assertThat((Double) batch.get("samplingRate")).isCloseTo(100.0 / ROWS, within(1e-4));
    assertThat((Double) batch.get("epsilon")).isBetween(1.999, 2.0);
  }

  @Test
  void hiddenGroup_isRefusedByName() throws IOException {
    train("--noise-multiplier 2 --steps 5 --metrics loss");
    Map<String, Object> plan =
        new TreeMap<>(Json.readObject(Files.readString(run().resolve("plan.json"))));
    List<?> groups = (List<?>) plan.get("groups");
    for (int hidden = 0; hidden < groups.size(); hidden++) {
      List<Object> others = new ArrayList<>(groups);
      Map<?, ?> group = (Map<?, ?>) others.remove(hidden);
      plan.put("groups", others);
      Path file = Files.writeString(temp.resolve("hidden.json"), Json.writePretty(plan));
      Console.Outcome outcome =
          Console.line(
              "train --data %s --label ill --plan %s --out %s"
                  .formatted(visits, file, temp.resolve("never")));
      assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
      assertThat(outcome.err())
          .contains("every vector must be in a group")
          .contains(String.valueOf(((List<?>) group.get("vectors")).get(0)))
          .hasLineCount(1);
    }
  }

  /** Deleting the folder of a run does not refund its cost. */
  @Test
  void budgetFile_sameFolderTwice_countsBothRuns() throws IOException {
    Path budget = temp.resolve("twice.json");
    Console.line("budget %s --create --epsilon 3 --delta 1e-5".formatted(budget));
    String train =
        "train --data %s --label ill --noise-multiplier 100 --steps 2 --budget-file %s --out %s"
            .formatted(visits, budget, run());
    assertThat(Console.line(train).code()).isZero();
    try (var files = Files.walk(run())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    assertThat(Console.line(train).code()).isZero();
    assertThat(BudgetFile.open(budget).read().runs()).hasSize(2);
  }

  /** Protecting doctors does not protect patients, who may have records of many doctors. */
  @Test
  void budgetFile_otherUsers_areRefused() {
    Path budget = temp.resolve("users.json");
    Console.line("budget %s --create --epsilon 3 --delta 1e-5".formatted(budget));
    String train =
        "train --data %s --label ill --noise-multiplier 100 --steps 2 --unit user --budget-file %s"
            .formatted(visits, budget);
    Console.Outcome first =
        Console.line(train + " --user-column id --out " + temp.resolve("first"));
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(Console.line("budget " + budget).out())
        .contains("one user (column id) added or removed");

    Console.Outcome second =
        Console.line(train + " --user-column z --out " + temp.resolve("second"));
    assertThat(second.code()).isEqualTo(2);
    assertThat(second.err()).contains("the same unit, got user (column z) after user (column id)");
    assertThat(Console.line(train + " --user-column id --out " + temp.resolve("third")).code())
        .isZero();
  }

  @Test
  void budgetFile_includesTheQuery() {
    Path budget = temp.resolve("b.json");
    Console.line("budget %s --create --epsilon 1 --delta 1e-5".formatted(budget));

    Console.Outcome outcome =
        Console.line(
            "train --data %s --label ill --noise-multiplier 100 --steps 2 --normalize --normalize-noise 1 --budget-file %s --out %s"
                .formatted(visits, budget, run()));

    assertThat(outcome.code()).isEqualTo(3);
    assertThat(run()).doesNotExist();
  }

  @Test
  void britishSpelling_isAcceptedButHidden() {
    String plan = "plan --data %s --label ill --epsilon 2 --json ".formatted(visits);

    Console.Outcome british = Console.line(plan + "--normalise --normalise-noise 7");
    Console.Outcome american = Console.line(plan + "--normalize --normalize-noise 7");

    assertThat(british.code()).as(british.err()).isZero();
    assertThat(british.out()).isEqualTo(american.out());
    assertThat((List<?>) british.json().get("questions")).hasSize(1);
    for (String command : List.of("train", "plan")) {
      assertThat(Console.line(command + " --help").out())
          .contains("--normalize", "--normalize-noise=Z")
          .doesNotContain("normalise");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--unit user | --unit user needs --user-column",
        "--unit user-update | --unit user-update needs --user-column",
        "--unit microbatch | --unit microbatch needs --examples-per-record",
        "--unit microbatch --examples-per-record 4 --replace-one | --replace-one and --unit microbatch cannot be combined",
        "--examples-per-record 3 | needs --unit microbatch, user or user-update",
        "--user-column id | need --unit user or user-update",
        "--unit user --user-file f | apply only to images",
        "--unit user --user-column id --local-epochs 2 | need --unit user-update",
        "--unit user --user-column who | column \"who\" must be in the file",
        "--unit user --user-column ill | must not be the label",
        "--metrics loss,age | --metrics must be some of loss, accuracy, classes, unclipped, got age",
        "--metrics loss --metric-share 1 | --metric-share must be above 0 and below 1, got 1",
        "--metrics loss,accuracy --metric-share 0.5 | shares must add up to less than 1",
        "--loss-bound 3 | --loss-bound needs --metrics loss",
        "--metric-share 0.1 | --metric-share needs --metrics",
        "--adaptive-clip 2 | --adaptive-clip must be in [0, 1], got 2",
        "--adaptive-clip 0.5 --clipping auto | adaptive clipping requires flat groups",
        "--normalize --pca 2 | --normalize and --pca cannot be combined",
        "--pca 4 | --pca must be at most the number of inputs, 3, got 4",
        "--pca 0 | --pca must be a whole number from 1",
        "--pca 2 --model logreg | --pca needs --model mlp",
        "--normalize-noise 3 | --normalize-noise needs --normalize",
        "--normalise-noise 3 | --normalize-noise needs --normalize",
        "--noise-multiplier 1 | cannot be combined unless"
      })
  void badOptions_areRefusedByName(String options, String message) {
    Console.Outcome outcome =
        Console.line(
            "train --data %s --label ill --epsilon 1 %s --out %s"
                .formatted(visits, options, run()));

    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains(message).hasLineCount(1);
    assertThat(run()).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"groups\": [{\"name\": \"a\", \"vectors\": [\"wait\", \"bias\"], \"bound\": 1}]} | group a names the vector wait",
        "{\"groups\": [{\"name\": \"a\", \"vectors\": [\"weight\"], \"bound\": 1}, {\"name\": \"b\", \"vectors\": [\"bias\", \"weight\"], \"bound\": 1}]} | vector weight must be in exactly one group, got a and b",
        "{\"groups\": [{\"name\": \"a\", \"vectors\": [\"weight\", \"bias\"], \"bound\": 0}]} | bound of group a must be in [1e-30, 1e30]",
        "{\"groups\": [{\"name\": \"a\", \"vectors\": [\"weight\"], \"bound\": 1}]} | missing: [bias]",
        "{\"unit\": {\"kind\": \"user\", \"examples\": 3}} | unit must match --unit"
      })
  void badPlans_areRefusedByName_beforeRecordsAreRead(String plan, String message)
      throws IOException {
    Path file = Files.writeString(temp.resolve("plan.json"), plan);
    Path schema = temp.resolve("schema.json");
    Console.line("schema %s --label ill --out %s".formatted(visits, schema));
    Path unreadable = Files.writeString(temp.resolve("broken.csv"), "nothing");

    Console.Outcome outcome =
        Console.line(
            "train --data %s --schema %s --epsilon 1 --plan %s --out %s"
                .formatted(unreadable, schema, file, run()));

    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains(message).hasLineCount(1);
  }

  @Test
  void missingUser_isRefusedByFileLineAndColumn() throws IOException {
    for (String missing : List.of("", " ", "NA")) {
      Files.writeString(visits, "id,x,ill\na,1,0\n%s,2,1\nc,3,1\n".formatted(missing));
      Console.Outcome outcome =
          Console.line(
              "train --data %s --label ill --epsilon 1 --unit user --user-column id --out %s"
                  .formatted(visits, run()));
      assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
      assertThat(outcome.err())
          .contains("visits.csv line 3: column \"id\" (the user ID) must not be missing")
          .hasLineCount(1);
    }
  }

  @Test
  void metricOfARegression_isRefusedByName() throws IOException {
    Console.Outcome outcome =
        Console.line(
            "train --data %s --label y --epsilon 1 --metrics accuracy --out %s"
                .formatted(visits, run()));

    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains("--metrics accuracy requires a classifier");
  }
}
