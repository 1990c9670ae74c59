package org.sordino.training;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/** Reads and writes plans as JSON ({@code plan.json}). */
final class PlanJson {

  private PlanJson() {}

  static String write(TrainingPlan plan) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("population", plan.privacy().population());
    json.put("expectedBatch", plan.privacy().expectedBatch());
    json.put("steps", plan.privacy().steps());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("neighbouring", JsonObject.spelling(plan.privacy().neighboring()));
    json.put(
        "vectors", plan.mechanism().layout().vectors().stream().map(PlanJson::vector).toList());
    json.put("groups", groups(plan.mechanism()));
    json.put("optimiser", optimizer(plan.optimizer()));
    json.put("schedule", schedule(plan.schedule()));
    json.put(
        "weightDecay",
        object(
            "lambda",
            plan.weightDecay().lambda(),
            "place",
            JsonObject.spelling(plan.weightDecay().place())));
    json.put("averaging", plan.averaging());
    PrivacyBudget budget = plan.budget();
    if (budget != null) {
      json.put("budget", object("epsilon", budget.epsilon(), "delta", budget.delta()));
    }
    json.put("unit", unit(plan.unit()));
    AdaptiveClipping adaptive = plan.adaptive();
    if (adaptive != null) {
      json.put(
          "adaptiveClipping", object("quantile", adaptive.quantile(), "rate", adaptive.rate()));
    }
    json.put("movingRate", plan.movingRate());
    json.put("questions", plan.queries().stream().map(PlanJson::query).toList());
    return Json.writePretty(json);
  }

  private static Map<String, @Nullable Object> vector(Layout.Vector vector) {
    Map<String, @Nullable Object> json =
        object("name", vector.name(), "dimension", (long) vector.dimension());
    if (vector.role() != Layout.Role.GRADIENT) {
      json.put("role", JsonObject.spelling(vector.role()));
    }
    return json;
  }

  private static Map<String, @Nullable Object> unit(Unit unit) {
    Map<String, @Nullable Object> json =
        object("kind", JsonObject.spelling(unit.kind()), "examples", (long) unit.examples());
    if (unit.kind() == Unit.Kind.USER_UPDATE) {
      json.put("localEpochs", (long) unit.local().epochs());
      json.put("localBatch", (long) unit.local().batch());
      json.put("localLearningRate", unit.local().learningRate());
    }
    return json;
  }

  private static Map<String, @Nullable Object> query(PrivateQuery query) {
    Mechanism mechanism = query.mechanism();
    return object(
        "name",
        query.name(),
        "noiseMultiplier",
        mechanism.noiseMultiplier(),
        "vectors",
        mechanism.layout().vectors().stream().map(PlanJson::vector).toList(),
        "groups",
        groups(mechanism));
  }

  private static List<?> groups(Mechanism mechanism) {
    return IntStream.range(0, mechanism.groups().size())
        .mapToObj(
            g -> {
              VectorGroup group = mechanism.groups().get(g);
              return object(
                  "name",
                  group.name(),
                  "vectors",
                  group.vectors(),
                  "bound",
                  number(group.bound()),
                  "scales",
                  group.scales(),
                  "gamma",
                  group.gamma(),
                  "deviation",
                  mechanism.groupDeviation(g));
            })
        .toList();
  }

  private static Map<String, @Nullable Object> optimizer(Optimizer optimizer) {
    if (optimizer instanceof Optimizer.Adam adam) {
      return object(
          "kind",
          "adam",
          "learningRate",
          adam.learningRate(),
          "beta1",
          adam.beta1(),
          "beta2",
          adam.beta2(),
          "epsilon",
          adam.epsilon(),
          "noiseCorrection",
          adam.noiseCorrection());
    }
    Optimizer.Sgd sgd = (Optimizer.Sgd) optimizer;
    return object("kind", "sgd", "learningRate", sgd.learningRate(), "momentum", sgd.momentum());
  }

  private static Map<String, @Nullable Object> schedule(Schedule schedule) {
    return object(
        "shape",
        JsonObject.spelling(schedule.shape()),
        "end",
        schedule.end(),
        "steps",
        schedule.steps());
  }

  private static Object number(double value) {
    return value == Double.POSITIVE_INFINITY ? "Infinity" : value;
  }

  private static Map<String, @Nullable Object> object(Object... namesAndValues) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      json.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return json;
  }

  private static final String[] NAMES = {
    "population",
    "expectedBatch",
    "steps",
    "noiseMultiplier",
    "neighbouring",
    "vectors",
    "groups",
    "noiseAllocation",
    "optimiser",
    "schedule",
    "weightDecay",
    "averaging",
    "budget",
    "unit",
    "adaptiveClipping",
    "movingRate",
    "questions"
  };

  /** Fields that may be missing in a complete plan. */
  private static final Set<String> OPTIONAL =
      Set.of("budget", "noiseAllocation", "unit", "adaptiveClipping", "movingRate", "questions");

  static TrainingPlan read(String text) {
    JsonObject plan = JsonObject.read("plan", text).only(NAMES);
    TrainingPlan.Builder builder = TrainingPlan.forLayout(layout(plan));
    for (String name : NAMES) {
      if (!OPTIONAL.contains(name)) {
        plan.require(name);
      }
    }
    override(builder, plan);
    return builder.build();
  }

  static void override(TrainingPlan.Builder builder, String text) {
    override(builder, JsonObject.read("plan", text).only(NAMES));
  }

  private static void override(TrainingPlan.Builder builder, JsonObject plan) {
    if (plan.has("vectors")) {
      Layout complete = layout(plan);
      Layout model = builder.layout();
      if (!parameters(complete).equals(parameters(model))) {
        throw new IllegalArgumentException(
            "plan.vectors must be the vectors of the model, "
                + model.vectors()
                + ", got "
                + complete.vectors());
      }
      builder.layout(complete);
    }
    plan.ifPresent("population", name -> builder.population(plan.integer(name)));
    plan.ifPresent("expectedBatch", name -> builder.expectedBatch(plan.number(name)));
    plan.ifPresent("steps", name -> builder.steps(plan.integer(name)));
    plan.ifPresent("noiseMultiplier", name -> builder.noiseMultiplier(plan.number(name)));
    plan.ifPresent(
        "neighbouring", name -> builder.neighboring(plan.choice(Neighboring.class, name)));
    plan.ifPresent("groups", name -> groups(builder, plan));
    plan.ifPresent("optimiser", name -> builder.optimizer(optimizer(plan.object(name))));
    plan.ifPresent("schedule", name -> builder.schedule(schedule(plan.object(name))));
    plan.ifPresent("weightDecay", name -> weightDecay(builder, plan.object(name)));
    plan.ifPresent("averaging", name -> builder.averaging(plan.number(name)));
    plan.ifPresent("budget", name -> builder.budget(budget(plan.object(name))));
    plan.ifPresent("unit", name -> builder.unit(unit(plan.object(name))));
    plan.ifPresent("adaptiveClipping", name -> builder.adaptive(adaptive(plan.object(name))));
    plan.ifPresent("movingRate", name -> builder.movingRate(plan.number(name)));
    plan.ifPresent("questions", name -> plan.objects(name).forEach(q -> builder.query(query(q))));
  }

  private static List<Layout.Vector> parameters(Layout layout) {
    return layout.vectors().stream().filter(v -> v.role() != Layout.Role.METRIC).toList();
  }

  private static Unit unit(JsonObject fields) {
    fields.only("kind", "examples", "localEpochs", "localBatch", "localLearningRate");
    Unit.Kind kind = fields.choice(Unit.Kind.class, "kind");
    int examples = Math.toIntExact(fields.integer("examples"));
    if (kind != Unit.Kind.USER_UPDATE) {
      return new Unit(kind, examples, Unit.Local.NONE);
    }
    return Unit.userUpdate(
        examples,
        Unit.Local.of(
            Math.toIntExact(fields.integer("localEpochs")),
            Math.toIntExact(fields.integer("localBatch")),
            fields.number("localLearningRate")));
  }

  private static AdaptiveClipping adaptive(JsonObject fields) {
    fields.only("quantile", "rate");
    return new AdaptiveClipping(fields.number("quantile"), fields.number("rate"));
  }

  private static PrivateQuery query(JsonObject fields) {
    fields.only("name", "noiseMultiplier", "vectors", "groups");
    List<JsonObject> groups = fields.objects("groups");
    return new PrivateQuery(
        fields.text("name"),
        Mechanism.planned(
            layout(fields),
            groups.stream().map(PlanJson::group).toList(),
            groups.stream().mapToDouble(group -> group.number("deviation")).toArray(),
            fields.number("noiseMultiplier")));
  }

  private static Layout layout(JsonObject plan) {
    return new Layout(
        plan.objects("vectors").stream()
            .map(
                vector ->
                    new Layout.Vector(
                        vector.only("name", "dimension", "role").text("name"),
                        Math.toIntExact(vector.integer("dimension")),
                        vector.has("role")
                            ? vector.choice(Layout.Role.class, "role")
                            : Layout.Role.GRADIENT))
            .toList());
  }

  /**
   * Reads groups either with a standard deviation each or with an allocation that determines the
   * standard deviations.
   */
  private static void groups(TrainingPlan.Builder builder, JsonObject plan) {
    List<JsonObject> fields = plan.objects("groups");
    List<VectorGroup> groups = fields.stream().map(PlanJson::group).toList();
    if (fields.stream().anyMatch(group -> group.has("deviation"))) {
      builder.groups(
          groups, fields.stream().mapToDouble(group -> group.number("deviation")).toArray());
    } else {
      builder.groups(
          groups,
          plan.has("noiseAllocation")
              ? plan.choice(NoiseAllocation.class, "noiseAllocation")
              : NoiseAllocation.EQUAL);
    }
  }

  private static VectorGroup group(JsonObject group) {
    group.only("name", "vectors", "bound", "scales", "gamma", "deviation");
    List<String> vectors = group.texts("vectors");
    return new VectorGroup(
        group.text("name"),
        vectors,
        group.number("bound"),
        group.has("scales") ? group.numbers("scales") : Collections.nCopies(vectors.size(), 1.0),
        group.has("gamma") ? group.number("gamma") : 0);
  }

  private static void weightDecay(TrainingPlan.Builder builder, JsonObject fields) {
    fields.only("lambda", "place");
    builder.weightDecay(fields.number("lambda"), fields.choice(WeightDecay.Place.class, "place"));
  }

  private static Optimizer optimizer(JsonObject fields) {
    String kind = fields.text("kind");
    if (kind.equals("sgd")) {
      fields.only("kind", "learningRate", "momentum");
      return new Optimizer.Sgd(fields.number("learningRate"), fields.number("momentum"));
    }
    if (kind.equals("adam")) {
      fields.only("kind", "learningRate", "beta1", "beta2", "epsilon", "noiseCorrection");
      return new Optimizer.Adam(
          fields.number("learningRate"),
          fields.number("beta1"),
          fields.number("beta2"),
          fields.number("epsilon"),
          fields.bool("noiseCorrection"));
    }
    throw new IllegalArgumentException("plan.optimiser.kind must be sgd or adam, got " + kind);
  }

  private static Schedule schedule(JsonObject fields) {
    fields.only("shape", "end", "steps");
    return new Schedule(
        fields.choice(Schedule.Shape.class, "shape"),
        fields.number("end"),
        fields.integer("steps"));
  }

  private static PrivacyBudget budget(JsonObject fields) {
    fields.only("epsilon", "delta");
    return new PrivacyBudget(fields.number("epsilon"), fields.number("delta"));
  }
}
