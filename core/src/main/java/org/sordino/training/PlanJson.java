package org.sordino.training;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.VectorGroup;

/** The form of a plan in {@code plan.json}. */
final class PlanJson {

  private PlanJson() {}

  static String write(TrainingPlan plan) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("population", plan.privacy().population());
    json.put("expectedBatch", plan.privacy().expectedBatch());
    json.put("steps", plan.privacy().steps());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("neighbouring", Fields.spelling(plan.privacy().neighbouring()));
    json.put(
        "vectors", plan.mechanism().layout().vectors().stream().map(PlanJson::vector).toList());
    json.put("groups", groups(plan.mechanism()));
    json.put("optimiser", optimiser(plan.optimiser()));
    json.put("schedule", schedule(plan.schedule()));
    json.put(
        "weightDecay",
        object(
            "lambda",
            plan.weightDecay().lambda(),
            "place",
            Fields.spelling(plan.weightDecay().place())));
    json.put("averaging", plan.averaging());
    PrivacyBudget budget = plan.budget();
    if (budget != null) {
      json.put("budget", object("epsilon", budget.epsilon(), "delta", budget.delta()));
    }
    return Json.writePretty(json);
  }

  private static Map<String, @Nullable Object> vector(Layout.Vector vector) {
    return object("name", vector.name(), "dimension", (long) vector.dimension());
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

  private static Map<String, @Nullable Object> optimiser(Optimiser optimiser) {
    if (optimiser instanceof Optimiser.Adam adam) {
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
    Optimiser.Sgd sgd = (Optimiser.Sgd) optimiser;
    return object("kind", "sgd", "learningRate", sgd.learningRate(), "momentum", sgd.momentum());
  }

  private static Map<String, @Nullable Object> schedule(Schedule schedule) {
    return object(
        "shape",
        Fields.spelling(schedule.shape()),
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

  static TrainingPlan read(String text) {
    Fields plan =
        new Fields("plan", Json.readObject(text))
            .only(
                "population",
                "expectedBatch",
                "steps",
                "noiseMultiplier",
                "neighbouring",
                "vectors",
                "groups",
                "optimiser",
                "schedule",
                "weightDecay",
                "averaging",
                "budget");
    PrivacyPlan privacy =
        new PrivacyPlan(
            plan.integer("population"),
            plan.number("expectedBatch"),
            plan.integer("steps"),
            plan.number("noiseMultiplier"),
            plan.choice(Neighbouring.class, "neighbouring"));
    Fields decay = plan.object("weightDecay").only("lambda", "place");
    return new TrainingPlan(
        privacy,
        mechanism(plan),
        optimiser(plan.object("optimiser")),
        schedule(plan.object("schedule")),
        new WeightDecay(decay.number("lambda"), decay.choice(WeightDecay.Place.class, "place")),
        plan.number("averaging"),
        plan.has("budget") ? budget(plan.object("budget")) : null);
  }

  private static Mechanism mechanism(Fields plan) {
    Layout layout =
        new Layout(
            plan.objects("vectors").stream()
                .map(
                    vector ->
                        new Layout.Vector(
                            vector.only("name", "dimension").text("name"),
                            Math.toIntExact(vector.integer("dimension"))))
                .toList());
    List<Fields> groups = plan.objects("groups");
    double[] deviations = groups.stream().mapToDouble(group -> group.number("deviation")).toArray();
    return Mechanism.planned(
        layout,
        groups.stream().map(PlanJson::group).toList(),
        deviations,
        plan.number("noiseMultiplier"));
  }

  private static VectorGroup group(Fields group) {
    group.only("name", "vectors", "bound", "scales", "gamma", "deviation");
    return new VectorGroup(
        group.text("name"),
        group.texts("vectors"),
        group.number("bound"),
        group.numbers("scales"),
        group.number("gamma"));
  }

  private static Optimiser optimiser(Fields fields) {
    String kind = fields.text("kind");
    if (kind.equals("sgd")) {
      fields.only("kind", "learningRate", "momentum");
      return new Optimiser.Sgd(fields.number("learningRate"), fields.number("momentum"));
    }
    if (kind.equals("adam")) {
      fields.only("kind", "learningRate", "beta1", "beta2", "epsilon", "noiseCorrection");
      return new Optimiser.Adam(
          fields.number("learningRate"),
          fields.number("beta1"),
          fields.number("beta2"),
          fields.number("epsilon"),
          fields.flag("noiseCorrection"));
    }
    throw new IllegalArgumentException("plan.optimiser.kind must be sgd or adam, got " + kind);
  }

  private static Schedule schedule(Fields fields) {
    fields.only("shape", "end", "steps");
    return new Schedule(
        fields.choice(Schedule.Shape.class, "shape"),
        fields.number("end"),
        fields.integer("steps"));
  }

  private static PrivacyBudget budget(Fields fields) {
    fields.only("epsilon", "delta");
    return new PrivacyBudget(fields.number("epsilon"), fields.number("delta"));
  }
}
