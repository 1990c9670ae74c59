package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.sordino.training.Examples;

class RecordEncoderTest {

  private static final int PEOPLE = 2000;

  private final List<People.Person> people = People.people(PEOPLE, 3);
  private final Examples expected = People.SCHEMA.unlabeled(People.csv(people));
  private final RecordEncoder encoder = RecordEncoder.of(People.SCHEMA);

  @Test
  void encode_mapsAndArrays_giveTheBitsOfTheFile() {
    float[] features = new float[encoder.width()];
    List<Map<String, Object>> maps = People.maps(people);
    for (int i = 0; i < PEOPLE; i++) {
      Arrays.fill(features, Float.NaN);
      encoder.encode(maps.get(i), features);
      assertThat(Tables.bits(features)).isEqualTo(Tables.bits(Tables.row(expected, i)));
      Arrays.fill(features, Float.NaN);
      encoder.encode(values(people.get(i)), features);
      assertThat(Tables.bits(features)).isEqualTo(Tables.bits(Tables.row(expected, i)));
    }
  }

  @Test
  void encode_anyNumberType_givesTheBitsOfItsText() {
    Schema schema =
        new Schema(
            List.of(
                new NumericColumn(
                    "x", -1e4, 1e5, NumericColumn.Scale.LOG, List.of(0.0, 10.0, 100.0), true),
                new CategoryColumn("c", List.of("1", "2", "2.5", "-7"), true)),
            List.of("", "-9"),
            null,
            false);
    RecordEncoder numbers = RecordEncoder.of(schema);
    SplittableRandom random = new SplittableRandom(4);
    float[] features = new float[schema.width()];
    for (int i = 0; i < 8_000; i++) {
      Number value = number(random, i);
      String text = new BigDecimal(value.toString()).stripTrailingZeros().toPlainString();
      Examples file = schema.unlabeled(Tables.csv("x,c\n" + text + "," + text + "\n"));
      numbers.encode(new Object[] {value, value}, features);
      assertThat(Tables.bits(features)).as("%s", value).isEqualTo(Tables.bits(file.features()));
    }
  }

  private static Number number(SplittableRandom random, int i) {
    return switch (i % 8) {
      case 0 -> random.nextInt(-10, 10);
      case 1 -> (long) random.nextInt(-10, 10);
      case 2 -> random.nextLong() >> random.nextInt(64);
      case 3 -> random.nextInt(-20, 20) / 2.0;
      case 4 -> (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-8, 9));
      case 5 -> (float) random.nextInt(-20, 20) / 2;
      case 6 -> (float) (random.nextDouble() * 1000);
      default -> BigDecimal.valueOf(random.nextInt(-100_000, 100_000), random.nextInt(6));
    };
  }

  @Test
  void encode_severalThreads_giveTheSameBits() throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> wrong = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int first = t * 531;
        wrong.add(pool.submit(() -> countWrong(first)));
      }
      for (Future<Integer> each : wrong) {
        assertThat(each.get()).isZero();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private int countWrong(int first) {
    float[] features = new float[encoder.width()];
    int wrong = 0;
    for (int n = 0; n < 20_000; n++) {
      int i = (first + n) % PEOPLE;
      encoder.encode(values(people.get(i)), features);
      wrong += Arrays.equals(features, Tables.row(expected, i)) ? 0 : 1;
    }
    return wrong;
  }

  @Test
  void columns_ignored_areLeftOut() {
    Schema schema = People.SCHEMA.ignoring("score", "");
    RecordEncoder fewer = RecordEncoder.of(schema);

    assertThat(fewer.columns()).hasSize(10).startsWith("age", "ratio").doesNotContain("employed");
    assertThat(fewer.width()).isEqualTo(schema.width());
  }

  @Test
  void encode_unknownAndAbsentKeys_areIgnoredAndMissing() {
    RecordEncoder small = RecordEncoder.of(Tables.SMALL);
    float[] features = new float[7];
    small.encode(Map.of("colour", " red", "z", new byte[1], "y", "maybe"), features);
    assertThat(features).containsExactly(0, 1, 1, 0, 0, 0, 0);

    Map<String, Object> nulls = new HashMap<>();
    nulls.put("x", null);
    small.encode(nulls, features);
    assertThat(features).containsExactly(0, 1, 0, 0, 0, 0, 1);
  }

  @Test
  void encode_missingNotDeclared_equalsAnEmptyField() {
    List<Column> columns =
        List.of(
            new NumericColumn("x", 0, 10, NumericColumn.Scale.LINEAR, List.of(), false),
            new CategoryColumn("c", List.of("a", "b"), false));
    Schema lenient = new Schema(columns, Schema.MISSING, null, false);
    float[] features = new float[2];
    RecordEncoder.of(lenient).encode(new Object[2], features);
    assertThat(features).isEqualTo(lenient.unlabeled(Tables.csv("x,c\n,\n")).features());

    Schema strict =
        new Schema(columns, List.of("NA"), null, false); // an empty text is not a number
    assertThatThrownBy(() -> strict.unlabeled(Tables.csv("x,c\n,\n")))
        .isInstanceOf(TableException.class)
        .hasMessageContaining("column \"x\" must be a number");
    assertThatThrownBy(() -> RecordEncoder.of(strict).encode(new Object[2], features))
        .isInstanceOf(TableException.class)
        .hasMessage("record: column \"x\" must be a number, got a missing value; correct it");
  }

  @Test
  void encode_otherCase_isFoundIfItIsTheOnlyOne() {
    RecordEncoder small = RecordEncoder.of(Tables.SMALL);
    float[] features = new float[7];
    small.encode(Map.of("X", 10, "Colour", "red"), features);
    assertThat(features).containsExactly(1, 0, 1, 0, 0, 0, 0);

    small.encode(Map.of("X", 10, "colour", "red", "COLOUR", "blue"), features);
    assertThat(features).containsExactly(1, 0, 1, 0, 0, 0, 0);
    small.encode(Map.of("x", 10, "Colour", "red", "COLOUR", "blue"), features);
    assertThat(features).containsExactly(1, 0, 0, 0, 0, 0, 1); // ambiguous, therefore missing
  }

  @Test
  void encode_mistakes_areRefusedWithoutPrintingValues() {
    RecordEncoder small = RecordEncoder.of(Tables.SMALL);
    float[] features = new float[7];

    assertRefused(
        () -> small.encode(Map.of("x", "secret"), features),
        "record: column \"x\" must be a number, got a different value (not shown); correct it");
    assertRefused(
        () -> small.encode(Map.of("colour", List.of("secret")), features),
        "record: column \"colour\" must be a string, a number, a boolean or a date, got the type"
            + " java.util.ImmutableCollections$List12; convert the value or leave the column out");
    assertRefused(
        () -> small.encode(Map.of("color", "secret"), features),
        "record: keys must include at least one of the columns \"x\", \"colour\", got none;"
            + " correct the keys");
    assertRefused(
        () -> small.encode(new Object[] {"secret"}, features),
        "record: values must have one entry for each of the 2 columns, got 1; pass them in the"
            + " order of columns()");
    assertThatThrownBy(() -> small.encode(Map.of("x", 1), new float[6]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("features must have length 7, got 6");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(TableException.class).hasMessage(message).hasNoCause();
  }

  private Object[] values(People.Person person) {
    return encoder.columns().stream()
        .map(column -> person.values()[People.COLUMNS.indexOf(column)])
        .toArray();
  }
}
