package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.table.Label;
import org.sordino.table.NumericColumn;
import org.sordino.table.Schema;
import org.sordino.table.TableException;
import org.sordino.table.TableSource;
import org.sordino.training.KeyFolder;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingResult;

/** Tests the API as an embedding program uses it. */
class TableTrainingTest {

  /** A record with text, numbers, integers, a numeric category and missing values. */
  record Person(
      int id, @Nullable Double income, int age, String job, @Nullable Integer code, String sick) {}

  private static final List<Person> PEOPLE = people(3_000);

  @TempDir private Path folder;
  private KeyFolder keys;

  @BeforeEach
  void keepKeysInTheTestFolder() {
    keys = new KeyFolder(folder.resolve("keys"));
  }

  private static List<Person> people(int count) {
    SplittableRandom random = new SplittableRandom(7);
    String[] jobs = {"nurse", "taxi driver", "teacher, part time", "Schäfer"};
    List<Person> people = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      int age = random.nextInt(18, 90);
      people.add(
          new Person(
              id,
              random.nextInt(10) == 0 ? null : Math.exp(random.nextDouble(5, 12)),
              age,
              jobs[random.nextInt(jobs.length)],
              random.nextInt(20) == 0 ? null : random.nextInt(4),
              random.nextInt(18, 90) < age ? "yes" : "no"));
    }
    return people;
  }

  private static List<Object> values(Person person) {
    List<Object> values = new ArrayList<>();
    values.add(person.id);
    values.add(person.income);
    values.add(person.age);
    values.add(person.job);
    values.add(person.code);
    values.add(person.sick);
    return values;
  }

  private static final List<String> COLUMNS = List.of("id", "income", "age", "job", "code", "sick");

  private TableSource csv() throws IOException {
    Path file = folder.resolve("people.csv");
    if (!Files.exists(file)) {
      List<String> lines = new ArrayList<>(List.of(String.join(",", COLUMNS)));
      for (Person person : PEOPLE) {
        lines.add(
            values(person).stream()
                .map(value -> value == null ? "" : '"' + value.toString() + '"')
                .reduce((a, b) -> a + "," + b)
                .orElseThrow());
      }
      Files.write(file, lines);
    }
    return TableSource.csv(file);
  }

  private static TableSource rows() {
    return TableSource.rows(
        PEOPLE.stream()
            .map(
                person -> {
                  Map<String, @Nullable Object> row = new LinkedHashMap<>();
                  IntStream.range(0, COLUMNS.size())
                      .forEach(i -> row.put(COLUMNS.get(i), values(person).get(i)));
                  return row;
                })
            .toList());
  }

  private static TableSource arrays() {
    return TableSource.arrays(COLUMNS, PEOPLE.stream().map(p -> values(p).toArray()).toList());
  }

  private static DataSource database() throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table people (id int, income double precision, age smallint, job varchar,"
              + " code bigint, sick varchar)");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into people values (?, ?, ?, ?, ?, ?)")) {
        for (Person person : PEOPLE) {
          for (int i = 0; i < COLUMNS.size(); i++) {
            insert.setObject(i + 1, values(person).get(i));
          }
          insert.addBatch();
        }
        insert.executeBatch();
      }
    }
    return database;
  }

  private static final String QUERY = "select * from people order by id";

  private TableTraining training(TableSource source) {
    return TableTraining.on(source)
        .label("sick")
        .population(3_000)
        .budget(1, 1e-5)
        .holdout(0.2)
        .options(options -> options.steps(60))
        .keys(keys);
  }

  private static Map<String, List<Double>> weights(Run run) throws IOException {
    Map<String, List<Double>> weights = new LinkedHashMap<>();
    Safetensors.ofBytes(Files.readAllBytes(run.directory().resolve("model.safetensors")))
        .tensors()
        .forEach(
            (name, tensor) ->
                weights.put(name, java.util.Arrays.stream(tensor.values()).boxed().toList()));
    return weights;
  }

  @Test
  void train_sameRowsFromEverySource_givesTheSameModel() throws Exception {
    Map<String, TableSource> sources = new LinkedHashMap<>();
    sources.put("csv", csv());
    sources.put("records", TableSource.records(PEOPLE));
    sources.put("rows", rows());
    sources.put("arrays", arrays());
    sources.put("jdbc", TableSource.jdbc(database(), QUERY));
    Map<String, List<Double>> expected = null;
    for (Map.Entry<String, TableSource> source : sources.entrySet()) {
      Run run = training(source.getValue()).insecureSeed(4).train(folder.resolve(source.getKey()));
      expected = expected == null ? weights(run) : expected;

      assertThat(weights(run)).as(source.getKey()).isEqualTo(expected);
      assertThat(run.guarantee()).isEmpty();
    }
  }

  @Test
  void train_returnsGuaranteeStatementLedgerAndModel() {
    Run run = training(TableSource.records(PEOPLE)).train(folder.resolve("run"));

    PrivacyBudget guarantee = run.guarantee().orElseThrow();
    assertThat(guarantee.epsilon()).isBetween(0.9, 1.0);
    assertThat(guarantee.delta()).isEqualTo(1e-5);
    assertThat(run.outcome()).isEqualTo(TrainingResult.Outcome.COMPLETED);
    assertThat(run.ledger().finished()).isTrue();
    assertThat(run.statement().markdown()).contains(run.statement().headline());
    assertThat(run.statement().json()).containsEntry("epsilon", guarantee.epsilon());
    assertThat(run.statement().limits()).anyMatch(limit -> limit.startsWith("Schema: "));
    assertThat(run.evaluation().orElseThrow().accuracy()).isGreaterThan(0.55);
    assertThat(run.reportHtml()).contains("<html").contains("sick");
    assertThat(Run.open(run.directory()).guarantee()).isEqualTo(run.guarantee());
  }

  @Test
  void predict_oneRecord_equalsPredictingTheTable() throws Exception {
    Run run = training(csv()).train(folder.resolve("run"));
    Model model = Model.load(run.directory());
    List<Prediction> all = model.predictAll(csv());

    for (int i = 0; i < PEOPLE.size(); i += 7) {
      List<Object> values = values(PEOPLE.get(i));
      Map<String, @Nullable Object> record = new LinkedHashMap<>();
      IntStream.range(0, 5).forEach(j -> record.put(COLUMNS.get(j), values.get(j)));
      Prediction prediction = model.predict(record);

      assertThat(prediction.probabilities()).isEqualTo(all.get(i).probabilities());
      assertThat(prediction.label()).isEqualTo(all.get(i).label());
      assertThat(prediction.probability("yes") + prediction.probability("no")).isEqualTo(1);
    }
    assertThatThrownBy(() -> all.get(0).probability("maybe"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[no, yes]");
  }

  @Test
  void predict_manyThreads_agreeWithOneThread() throws Exception {
    Model model = training(csv()).train(folder.resolve("run")).model();
    List<Double> alone =
        PEOPLE.stream().map(person -> model.predict(record(person)).probability("yes")).toList();

    for (int round = 0; round < 5; round++) {
      assertThat(
              PEOPLE.parallelStream()
                  .map(person -> model.predict(record(person)).probability("yes"))
                  .toList())
          .isEqualTo(alone);
    }
  }

  private static Map<String, @Nullable Object> record(Person person) {
    Map<String, @Nullable Object> record = new LinkedHashMap<>();
    record.put("income", person.income);
    record.put("age", person.age);
    record.put("job", person.job);
    record.put("code", person.code);
    return record;
  }

  @Test
  void stopAndResume_givesTheModelOfAnUninterruptedRun() throws Exception {
    Map<String, List<Double>> expected =
        weights(training(csv()).insecureSeed(3).train(folder.resolve("whole")));
    AtomicLong step = new AtomicLong();
    Path directory = folder.resolve("stopped");

    Run stopped =
        training(csv())
            .insecureSeed(3)
            .onProgress(now -> step.set(now.step()))
            .stopWhen(() -> step.get() == 23)
            .train(directory);

    assertThat(stopped.outcome()).isEqualTo(TrainingResult.Outcome.STOPPED);
    assertThat(step).hasValue(23);
    assertThatThrownBy(() -> Model.load(directory)).isInstanceOf(InvalidInputException.class);
    assertThat(weights(training(csv()).resume(directory))).isEqualTo(expected);
  }

  /** The person who stops a run has seen released values, so no part of its cost is refunded. */
  @Test
  void stoppedRun_isChargedForItsWholePlanInStatementAndBudget() throws Exception {
    Path file = folder.resolve("budget.json");
    BudgetFile budget =
        BudgetFile.create(
            file, new PrivacyBudget(3, 1e-5), Neighboring.ADD_OR_REMOVE_ONE, "people");
    AtomicLong step = new AtomicLong();

    Run run =
        training(csv())
            .options(options -> options.steps(100_000))
            .budgetFile(file)
            .onProgress(now -> step.set(now.step()))
            .stopWhen(() -> step.get() == 2)
            .train(folder.resolve("run"));

    double planned =
        TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
            .epsilonBracket(run.plan().event(), 1e-5)
            .upper();
    assertThat(run.ledger().reserved()).isLessThan(100_000);
    assertThat(run.guarantee().orElseThrow().epsilon()).isEqualTo(planned);
    assertThat(budget.read().runs())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.state()).isEqualTo(BudgetContents.State.PLANNED);
              assertThat(entry.event()).isEqualTo(run.plan().event());
            });
  }

  /** What a run executes is covered by what was charged for its plan, whatever it releases. */
  @Test
  void finishedRun_staysChargedAsPlanned() throws Exception {
    Path file = folder.resolve("budget.json");
    PrivacyBudget limit = new PrivacyBudget(3, 1e-5);
    BudgetFile budget = BudgetFile.create(file, limit, Neighboring.ADD_OR_REMOVE_ONE, "people");

    Run run =
        training(csv())
            .normalize()
            .options(options -> options.steps(30).adaptiveClip(0.5))
            .budgetFile(file)
            .train(folder.resolve("run"));

    BudgetContents.Entry entry = budget.read().runs().get(0);
    assertThat(entry.state()).isEqualTo(BudgetContents.State.EXECUTED);
    assertThat(entry.charges())
        .singleElement()
        .satisfies(charge -> assertThat(charge.event()).isEqualTo(run.plan().event()));
  }

  /** All 60 steps were reserved before the run stopped at step 23, so 37 of them are repeated. */
  @Test
  void resumedRunWithoutItsKey_isChargedForTheRepeatedSteps() throws Exception {
    Path file = folder.resolve("budget.json");
    PrivacyBudget limit = new PrivacyBudget(3, 1e-5);
    BudgetFile budget = BudgetFile.create(file, limit, Neighboring.ADD_OR_REMOVE_ONE, "people");
    AtomicLong step = new AtomicLong();
    Path directory = folder.resolve("run");
    training(csv())
        .budgetFile(file)
        .onProgress(now -> step.set(now.step()))
        .stopWhen(() -> step.get() == 23)
        .train(directory);
    try (var lost = Files.walk(folder.resolve("keys"))) {
      for (Path key : lost.filter(Files::isRegularFile).toList()) {
        Files.delete(key);
      }
    }
    double planned = budget.read().spent();
    Run run = training(csv()).resume(directory);

    BudgetContents.Entry entry = budget.read().runs().get(0);
    PrivacyEvent plan = run.plan().event();
    PrivacyEvent perStep = ((PrivacyEvent.Repeated) plan).event();
    assertThat(entry.event()).isEqualTo(run.ledger().event());
    assertThat(entry.charges())
        .extracting(BudgetContents.Charge::event)
        .containsExactly(plan, new PrivacyEvent.Composition(List.of(perStep.times(37))));
    assertThat(entry.charges()).extracting(BudgetContents.Charge::index).containsExactly(1L, 2L);
    assertThat(budget.read().spent()).isGreaterThan(planned);
  }

  @Test
  void budgetFile_refusesARunThatDoesNotFit_beforeAnythingIsWritten() throws Exception {
    Path file = folder.resolve("budget.json");
    BudgetFile.create(file, new PrivacyBudget(1.2, 1e-5), Neighboring.ADD_OR_REMOVE_ONE, "");
    training(csv()).budgetFile(file).train(folder.resolve("first"));
    byte[] before = Files.readAllBytes(file);

    assertThatThrownBy(() -> training(csv()).budgetFile(file).train(folder.resolve("second")))
        .isInstanceOf(BudgetRefusedException.class);

    assertThat(folder.resolve("second")).doesNotExist();
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void train_unreadableRecords_costNothingAndLeaveNoFiles() throws Exception {
    Path file = folder.resolve("budget.json");
    BudgetFile budget =
        BudgetFile.create(
            file, new PrivacyBudget(3, 1e-5), Neighboring.ADD_OR_REMOVE_ONE, "people");
    Path table = Files.writeString(folder.resolve("bad.csv"), "age,sick\n41,yes\nnonsense,no\n");
    Schema schema =
        new Schema(
            List.of(new NumericColumn("age", 0, 100, NumericColumn.Scale.LINEAR, List.of(), false)),
            Schema.MISSING,
            Label.ofClasses("sick", List.of("no", "yes"), "yes"),
            false);

    assertThatThrownBy(
            () ->
                TableTraining.on(TableSource.csv(table))
                    .schema(schema)
                    .population(100)
                    .budget(1, 1e-5)
                    .budgetFile(file)
                    .train(folder.resolve("run")))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("line 3");

    assertThat(budget.read().runs()).isEmpty();
    assertThat(folder.resolve("run")).doesNotExist();
  }

  @Test
  void train_occupiedDirectory_isRefused() throws Exception {
    training(csv()).train(folder.resolve("run"));

    assertThatThrownBy(() -> training(csv()).train(folder.resolve("run")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("contains a run");
  }

  @Test
  void train_withoutABudgetOrLabel_namesWhatIsMissing() throws Exception {
    TableSource source = csv();

    assertThatThrownBy(() -> TableTraining.on(source).label("sick").train(folder.resolve("a")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("epsilon is missing");
    assertThatThrownBy(() -> TableTraining.on(source).budget(1, 1e-5).train(folder.resolve("b")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("label is missing");
    assertThatThrownBy(() -> TableTraining.on(source).budget(-1, 1e-5))
        .hasMessage("epsilon must be above 0, got -1.0; typical values are 0.1 to 10");
    assertThat(folder.resolve("a")).doesNotExist();
  }

  @Test
  void users_areProtectedAndNotAFeature() throws Exception {
    Run run =
        TableTraining.on(csv())
            .label("sick")
            .population(3_000)
            .budget(1, 1e-5)
            .users("id", 4)
            .options(options -> options.steps(5))
            .keys(keys)
            .train(folder.resolve("run"));

    assertThat(run.statement().markdown()).contains("one user added or removed");
    assertThat(run.model().schema().featureNames()).noneMatch(name -> name.startsWith("id"));
  }

  /** A run on rows in memory cannot be resumed from its directory alone. */
  @Test
  void task_ofRowsInMemory_isRefusedWithTheFix() {
    Run run = training(TableSource.records(PEOPLE)).train(folder.resolve("run"));

    assertThatThrownBy(() -> Task.of(run.task()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("Training.resume");
  }

  @Test
  void query_isInStatementAndRun_withWarnings() throws Exception {
    String query = "select job, age, sick from people where age > 20 order by id limit 2000";

    Run run =
        TableTraining.on(TableSource.jdbc(database(), query))
            .label("sick")
            .population(2_000)
            .budget(1, 1e-5)
            .options(options -> options.steps(5))
            .keys(keys)
            .train(folder.resolve("run"));

    assertThat(run.task().query()).isEqualTo(query);
    assertThat(run.statement().limits())
        .anyMatch(limit -> limit.contains(query) && limit.contains("LIMIT"));
    assertThat(run.statement().markdown()).contains("LIMIT");
  }

  @Test
  void run_leavesNoThreadsRunning() throws Exception {
    List<String> before = threads();

    training(csv()).train(folder.resolve("run"));

    assertThat(threads()).isSubsetOf(before);
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> !name.startsWith("ForkJoinPool.commonPool"))
        .filter(name -> !name.contains("H2") && !name.contains("Cleaner"))
        .distinct()
        .toList();
  }

  @Test
  void files_ofARun_areTheDocumentedOnes() throws Exception {
    training(csv()).train(folder.resolve("run"));

    try (Stream<Path> files = Files.list(folder.resolve("run"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "checkpoint",
              "ledger.jsonl",
              "ledger.jsonl.lock",
              "metrics.csv",
              "model.json",
              "model.safetensors",
              "plan.json",
              "report.html",
              "results.json",
              "run.json",
              "statement.json",
              "statement.md");
    }
    assertThat(
            Json.readObject(Files.readString(folder.resolve("run/statement.json")))
                .get("ledgerLines"))
        .isInstanceOf(Long.class);
  }
}
