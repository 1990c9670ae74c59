package org.sordino.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.table.CsvOptions;
import org.sordino.table.DemoCensus;
import org.sordino.table.InMemoryRecords;
import org.sordino.table.Schema;
import org.sordino.table.TableRecords;
import org.sordino.table.TableSource;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Preparation;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Records;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * A task that trains a model on the rows of a table. The records are read once, when they are first
 * needed.
 *
 * <pre>{@code
 * TableTask.on(TableSource.csv(Path.of("people.csv"))).label("employed").build()
 * }</pre>
 */
public final class TableTask implements Task {

  static final String KIND = "table";

  /** Marks a run whose records cannot be located from {@code run.json}. */
  private static final String IN_MEMORY = "inMemory";

  private final Map<String, @Nullable Object> place;
  private final Schema schema;
  private final Learner learner;
  private final Learner trained;
  private final Preprocessing preprocessing;
  private final boolean publicSize;
  private final Supplier<TableRecords> reader;
  private @Nullable TableRecords records;

  private TableTask(
      Map<String, @Nullable Object> place,
      Schema schema,
      Learner learner,
      Preprocessing preprocessing,
      boolean publicSize,
      Supplier<TableRecords> reader) {
    this.place = place;
    this.schema = schema;
    this.learner = learner;
    this.trained =
        preprocessing.isNone()
            ? learner
            : learner.withInputs(preprocessing.width(learner.inputs()));
    this.preprocessing = preprocessing;
    this.publicSize = publicSize;
    this.reader = reader;
  }

  /**
   * Returns a builder for a task on a table. Its run can be resumed only with {@link
   * Training#resume}, by a program that has the same table.
   */
  public static Builder on(TableSource source) {
    return new Builder(source);
  }

  /** Returns a builder for a task on a table whose location is stored in the run directory. */
  public static Builder at(TableLocation location) {
    return new Builder(location);
  }

  static boolean isTable(TaskInfo info) {
    return info.schema() != null;
  }

  /** Restores the task of a run. */
  static TableTask of(TaskInfo info, @Nullable String url) {
    if (Boolean.TRUE.equals(info.json().get(IN_MEMORY))) {
      throw new InvalidInputException(
          "this run was trained from Java on records in memory; resume it from Java with"
              + " Training.resume and the same records in the same order");
    }
    Schema schema = Objects.requireNonNull(info.schema());
    Function<Schema, Learner> learner =
        info.kind().equals(KIND)
            ? LinearLearner::of
            : columns -> LearnerType.ofTask(info.kind()).ofTask(info, columns);
    TableLocation location = TableLocation.of(info);
    return at(url == null ? location : location.at(url))
        .schema(schema)
        .learner(learner)
        .preprocessing(Preprocessing.of(info.json()))
        .build();
  }

  /** Builds a task on a table. Only the label or a schema is required. */
  public static final class Builder {

    private final @Nullable TableLocation location;
    private @Nullable TableSource source;
    private @Nullable TableSource test;
    private @Nullable String label;
    private @Nullable Schema schema;
    private Function<Schema, Learner> learner = LinearLearner::of;
    private Preprocessing preprocessing = Preprocessing.NONE;
    private double holdout;
    private @Nullable String userColumn;

    private Builder(TableSource source) {
      this.location = null;
      this.source = source;
    }

    private Builder(TableLocation location) {
      this.location = location;
      this.holdout = location.holdout();
      this.userColumn = location.userColumn();
    }

    /** Sets the column to predict. */
    public Builder label(String column) {
      this.label = column;
      return this;
    }

    /**
     * Declares bounds, categories and classes from public knowledge. Without a schema they are
     * computed from the records, outside the guarantee.
     */
    public Builder schema(Schema declared) {
      this.schema = declared;
      return this;
    }

    /**
     * Sets the model (default: linear, logistic or softmax regression, depending on the label).
     *
     * @param model creates the model for a schema
     */
    public Builder learner(Function<Schema, Learner> model) {
      this.learner = model;
      return this;
    }

    /** Sets the preprocessing of the features (default: none). */
    public Builder preprocessing(Preprocessing steps) {
      this.preprocessing = steps;
      return this;
    }

    /** Sets the share of the records that are held out for testing and not used for training. */
    public Builder holdout(double share) {
      if (!(share >= 0 && share < 1)) {
        throw InvalidInputException.of(
            "holdout", "at least 0 and below 1", Double.toString(share), "try 0.2");
      }
      requireSource("holdout");
      this.holdout = share;
      return this;
    }

    /** Sets a separate table to test on. */
    public Builder test(TableSource records) {
      requireSource("test");
      this.test = records;
      return this;
    }

    /** Sets the column with the user ID of each row. It is not used as a feature. */
    public Builder userColumn(String column) {
      requireSource("userColumn");
      this.userColumn = column;
      return this;
    }

    private void requireSource(String setting) {
      if (location != null) {
        throw new IllegalStateException(
            setting + " is part of the table's location; set it in the TableLocation");
      }
    }

    /**
     * Builds the task. Records are read only to draft a schema that was not declared.
     *
     * @throws InvalidInputException if neither a label nor a schema is set
     */
    public TableTask build() {
      Schema columns = schema == null ? draft() : requireLabel(schema);
      if (userColumn != null) {
        columns = columns.ignoring(userColumn, "the user of the row");
      }
      Schema complete = columns;
      return new TableTask(
          location == null ? place() : location.json(),
          complete,
          learner.apply(complete),
          preprocessing,
          location != null && location.isDemo(),
          () -> read(complete));
    }

    private Schema draft() {
      if (location != null && location.isDemo()) {
        return DemoCensus.schema();
      }
      if (label == null) {
        throw new InvalidInputException("the label is missing; name the column to predict");
      }
      source = source().cached(); // one read for the draft and the records
      return Schema.draft(source, label);
    }

    private Schema requireLabel(Schema declared) {
      String column = declared.requireLabel().column();
      if (label != null && !column.equals(label)) {
        throw InvalidInputException.of(
            "label", "the label of the schema, " + column, label, "omit it");
      }
      return declared;
    }

    private TableSource source() {
      if (source == null) {
        source = Objects.requireNonNull(location).source();
      }
      return source;
    }

    private TableRecords read(Schema columns) {
      if (location == null) {
        return InMemoryRecords.read(
            source(), test, holdout, TableLocation.HOLDOUT_SEED, userColumn, columns);
      }
      return location.isLocal()
          ? location.read(source(), columns)
          : location.readFromEngine(columns);
    }

    private Map<String, @Nullable Object> place() {
      Map<String, @Nullable Object> json =
          TableLocation.of(
                  source().name(),
                  CsvOptions.DEFAULT,
                  test == null ? null : test.name(),
                  holdout,
                  userColumn)
              .json();
      source().query().ifPresent(query -> json.put("query", query));
      json.put(IN_MEMORY, true);
      return json;
    }
  }

  @Override
  public TaskInfo info() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(place);
    preprocessing.addTo(json);
    json.put("schema", Json.readObject(schema.toJson()));
    json.putAll(trained.taskJson());
    return TaskInfo.of(json);
  }

  @Override
  public String describe() {
    return "%s of %s on %d features"
        .formatted(learner.describe(), schema.requireLabel().column(), learner.inputs());
  }

  @Override
  public Task.Shape shape() {
    int width = schema.width();
    return new Task.Shape(
        trained.factory().layout(),
        learner.classes(),
        width,
        width,
        preprocessing,
        learner.isNetwork());
  }

  @Override
  public boolean schemaDeclared() {
    return !schema.drafted();
  }

  @Override
  public double[] initialParameters() {
    return trained.initialParameters();
  }

  @Override
  public long records(Unit unit) {
    return table().size(unit);
  }

  @Override
  public OptionalLong publicRecords(Unit unit) {
    return publicSize && !unit.isUser() ? OptionalLong.of(records(unit)) : OptionalLong.empty();
  }

  private TableRecords table() {
    TableRecords read = records;
    if (read == null) {
      read = reader.get();
      records = read;
    }
    return read;
  }

  /** Returns the records in memory; preprocessing is not available on other engines. */
  private InMemoryRecords inMemory() {
    if (table() instanceof InMemoryRecords here) {
      return here;
    }
    throw new InvalidInputException("`normalize` and `principalDirections` require `engine` java");
  }

  @Override
  public Preparation prepare(TrainingPlan plan) {
    List<Layout.Vector> metrics = plan.mechanism().layout().vectors(Layout.Role.METRIC);
    EngineFactory factory = trained.factory().with(metrics, plan.unit());
    if (preprocessing.isNone()) {
      return Preparation.of(table().engine(factory, plan));
    }
    Examples examples = inMemory().training();
    Records grouped = inMemory().grouping().records(plan);
    int width = examples.width();
    return Preparation.of(
        plan,
        () ->
            preprocessing.normalized()
                ? ChannelStatistics.engine(
                    new Preprocessing.Fitted.UnitRows(examples), grouped, width)
                : PrincipalDirections.engine(examples, grouped),
        answers ->
            factory.open(
                fitted(answers).applied(examples),
                grouped,
                Runtime.getRuntime().availableProcessors()));
  }

  private Preprocessing.Fitted fitted(Map<String, double[]> answers) {
    return Preprocessing.Fitted.of(preprocessing, schema.width(), answers).ofFeatures();
  }

  @Override
  public Model release(double[] parameters, Map<String, double[]> answers) {
    double[] folded =
        fitted(answers).folded(parameters, learner.firstLayerOutputs(), schema.width());
    return model(folded);
  }

  private TableModel model(double[] parameters) {
    return new TableModel(schema, learner, parameters, String.valueOf(place.get("file")));
  }

  @Override
  public Optional<Evaluation> test(Model model) {
    Examples test = table().test();
    return test == null || test.size() == 0
        ? Optional.empty()
        : Optional.of(((TableModel) model).evaluate(test));
  }

  @Override
  public Optional<Evaluation> baseline() {
    TrainingPlan plan = learner.baselinePlan(table().size());
    try (GradientEngine engine = table().engine(learner.factory())) {
      Trainer trainer = Trainer.of(plan, engine).start(learner.initialParameters());
      return test(model(trainer.insecureSeed(1).run().weights()));
    }
  }

  @Override
  public long stepsBetweenEvaluations(PrivacyPlan plan) {
    return learner.stepsBetweenEvaluations(plan);
  }
}
