package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Metric;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;

/** docs/reference/plan.md describes what plan.json contains and what --plan accepts. */
class PlanPageTest {

  /**
   * The only field that --plan reads but that is never written; a complete plan has deviations
   * instead.
   */
  private static final String NEVER_WRITTEN = "noiseAllocation";

  @TempDir private Path folder;

  private static Page page() throws IOException {
    return Page.of("reference/plan.md");
  }

  private static String example(int number) throws IOException {
    List<String> examples = page().blocks("json");
    assertThat(examples).hasSize(3);
    return examples.get(number);
  }

  @Test
  void fields_areThoseOfPlansThatWereWritten() throws IOException {
    Map<String, Set<String>> written = new HashMap<>();
    addFields(
        written,
        "Fields",
        plan(
            "--unit user-update --user-column patient --normalize --metrics loss"
                + " --adaptive-clip 0.5"));
    addFields(written, "Fields", plan("--optimizer adam"));

    Map<String, Set<String>> documented = page().names("field");
    assertThat(documented.get("Fields").remove(NEVER_WRITTEN)).isTrue();
    assertThat(documented).isEqualTo(written);
  }

  private Object plan(String options) throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    StringBuilder text = new StringBuilder("patient,x,ill\n");
    for (int i = 0; i < 200; i++) {
      double x = random.nextDouble();
      text.append("p%d,%.3f,%d\n".formatted(i % 40, x, x > 0.4 ? 1 : 0));
    }
    Path visits = Files.writeString(folder.resolve("visits.csv"), text);
    Path run = Files.createTempDirectory(folder, "run");
    Console.Outcome outcome =
        Console.line(
            "train --data %s --label ill --epsilon 4 --steps 2 --out %s %s"
                .formatted(visits, run, options));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return Json.readObject(Files.readString(run.resolve("plan.json")));
  }

  /** Adds the fields of all objects below {@code value} under the field that contains them. */
  private static void addFields(Map<String, Set<String>> fields, String parent, Object value) {
    if (value instanceof List<?> list) {
      list.forEach(item -> addFields(fields, parent, item));
    } else if (value instanceof Map<?, ?> object) {
      object.forEach(
          (name, child) -> {
            fields.computeIfAbsent(parent, key -> new TreeSet<>()).add(String.valueOf(name));
            addFields(fields, String.valueOf(name), child);
          });
    }
  }

  @Test
  void completeExample_isWhatTheWriterWrites() throws IOException {
    String example = example(0).strip();

    assertThat(TrainingPlan.fromJson(example).toJson()).isEqualTo(example);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void partialExample_isAcceptedByTrain(int number) throws IOException {
    Path part = Files.writeString(folder.resolve("part.json"), example(number));
    Path run = folder.resolve("run");

    Console.Outcome outcome =
        Console.line("train --epsilon 1 --steps 2 --plan %s --out %s".formatted(part, run));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    TrainingPlan plan = TrainingPlan.fromJson(Files.readString(run.resolve("plan.json")));
    assertThat(plan.mechanism().groups())
        .extracting(VectorGroup::name)
        .containsExactlyElementsOf(
            JsonObject.read("", example(number)).objects("groups").stream()
                .map(group -> group.text("name"))
                .toList());
  }

  static Stream<String> values() {
    Stream<Enum<?>> constants =
        Stream.<Enum<?>[]>of(
                Neighboring.values(),
                NoiseAllocation.values(),
                Layout.Role.values(),
                Schedule.Shape.values(),
                WeightDecay.Place.values(),
                Unit.Kind.values())
            .flatMap(Stream::of);
    return Stream.concat(
        constants.map(JsonObject::spelling),
        Stream.of(Metric.Kind.values()).map(Metric.Kind::vector));
  }

  @ParameterizedTest
  @MethodSource("values")
  void value_isDocumented(String value) throws IOException {
    assertThat(page().text()).contains("`" + value + "`");
  }
}
