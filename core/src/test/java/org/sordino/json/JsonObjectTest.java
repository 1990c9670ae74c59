package org.sordino.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class JsonObjectTest {

  private enum Place {
    AFTER_NOISE,
    INSIDE
  }

  private final JsonObject plan =
      JsonObject.read(
          "plan",
          """
          {"text": "a", "integer": 3, "number": 0.5, "infinite": "Infinity", "overflow": 1e400,
           "bool": true, "choice": "after-noise", "nothing": null, "texts": ["a", "b"],
           "numbers": [1, 2.5], "groups": [{"bound": 1}, {"bound": "1"}], "inner": {"x": [1e400]}}
          """);

  private void refused(Consumer<JsonObject> read, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> read.accept(plan)).withMessage(message);
  }

  @Test
  void accessors_correctType_returnTheValue() {
    assertThat(plan.text("text")).isEqualTo("a");
    assertThat(plan.integer("integer")).isEqualTo(3);
    assertThat(plan.number("number")).isEqualTo(0.5);
    assertThat(plan.number("integer")).isEqualTo(3);
    assertThat(plan.number("infinite")).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(plan.finite("number")).isEqualTo(0.5);
    assertThat(plan.bool("bool")).isTrue();
    assertThat(plan.choice(Place.class, "choice")).isEqualTo(Place.AFTER_NOISE);
    assertThat(plan.texts("texts")).containsExactly("a", "b");
    assertThat(plan.numbers("numbers")).containsExactly(1.0, 2.5);
    assertThat(plan.objects("groups").get(0).number("bound")).isEqualTo(1);
  }

  @Test
  void accessors_wrongType_nameFieldTypeAndValue() {
    refused(p -> p.text("integer"), "plan: integer must be a string, got 3");
    refused(p -> p.integer("number"), "plan: number must be a whole number, got 0.5");
    refused(p -> p.number("text"), "plan: text must be a number, got \"a\"");
    refused(p -> p.bool("text"), "plan: text must be true or false, got \"a\"");
    refused(
        p -> p.choice(Place.class, "text"),
        "plan: text must be one of after-noise, inside, got \"a\"");
    refused(p -> p.list("text"), "plan: text must be a list [...], got \"a\"");
    refused(p -> p.texts("numbers"), "plan: numbers must be a list of strings, got [1,2.5]");
    refused(p -> p.numbers("texts"), "plan: texts must be a list of numbers, got [\"a\",\"b\"]");
    refused(p -> p.object("text"), "plan: text must be an object {...}, got \"a\"");
    refused(
        p -> p.objects("numbers"), "plan: numbers must be a list of objects {...}, got [1,2.5]");
    refused(
        p -> p.objects("groups").get(1).number("bound"),
        "plan: groups[1].bound must be a number, got \"1\"");
  }

  /** Infinite noise has no privacy cost, so a typing error must not result in it. */
  @Test
  void overflowingLiteral_isNotInfinity() {
    refused(p -> p.number("overflow"), "plan: overflow must be a number, got \"Infinity\"");
    refused(p -> p.finite("infinite"), "plan: infinite must be a number, got \"Infinity\"");
    refused(
        p -> p.object("inner").toJson(), "plan: inner has a number that is too large for a double");
    refused(
        p -> p.object("inner").numbers("x"),
        "plan: inner.x must be a list of numbers, got [\"Infinity\"]");
  }

  @Test
  void absentOrNull_isReportedAsNothing() {
    assertThat(plan.has("nothing")).isFalse();
    assertThat(plan.text("absent", "b")).isEqualTo("b");
    assertThat(plan.optionalText("nothing")).isNull();
    assertThat(plan.finite("nothing", 2)).isEqualTo(2);
    refused(p -> p.text("absent"), "plan: absent must be a string, got nothing");
    refused(p -> p.integer("nothing"), "plan: nothing must be a whole number, got nothing");
    refused(p -> p.require("nothing"), "plan: nothing must be given, got nothing");
    refused(p -> p.text("integer", "b"), "plan: integer must be a string, got 3");
    refused(p -> p.finite("text", 2), "plan: text must be a number, got \"a\"");
    refused(p -> p.optionalText("integer"), "plan: integer must be a string, got 3");
  }

  @Test
  void only_unknownField_isRefused() {
    String known = "\", misspelled or from a newer version; known fields: a, b";
    refused(
        p -> p.objects("groups").get(1).only("a", "b"),
        "plan: groups[1] has the unknown field \"bound" + known);
    JsonObject unnamed = JsonObject.read("", "{\"x\": 1}");
    assertThat(unnamed.only("x", "y")).isSameAs(unnamed);
    refused(p -> unnamed.only("a", "b"), "the object has the unknown field \"x" + known);
    refused(p -> unnamed.text("x"), "x must be a string, got 1");
    refused(p -> unnamed.named("run").text("x"), "run: x must be a string, got 1");
  }

  @Test
  void of_otherValue_isRefused() {
    refused(p -> JsonObject.of("head", 3L), "head must be an object {...}, got 3");
  }
}
