package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Examples;

/**
 * Checks that damaged files are either read or refused with a message, and that neither takes long.
 */
class TableFuzzTest {

  private static final int FILES = 5_000;
  private static final String SEED =
      String.join(
          "\r\n",
          "x,colour,y,text",
          "5,red,yes,\"a, \"\"b\"\"",
          "c\"",
          "10.25,NA,no,\u00fc\u20ac",
          "?, \"blue\" ,yes,",
          "-1e3,,no,d|e;f",
          "");
  private static final String SPICE = "\"\"\",;|\t\n\r\n\0 \uFEFF1eE+-.\u00e9\u20ac";

  @ParameterizedTest
  @ValueSource(strings = {"evaluation", "draft", "schema"})
  void read_mutatedFiles_areReadOrRefused(String what) {
    int read =
        assertTimeoutPreemptively(
            Duration.ofSeconds(60),
            () -> {
              int count = 0;
              for (int i = 0; i < FILES; i++) {
                count += survives(what, i) ? 1 : 0;
              }
              return count;
            });

    assertThat(read).isBetween(FILES / 20, FILES * 19 / 20); // both outcomes occur
  }

  private static boolean survives(String what, int seed) {
    try {
      if (what.equals("schema")) {
        byte[] json = Tables.SMALL.toJson().getBytes(StandardCharsets.UTF_8);
        byte[] mutated = mutate(json, new SplittableRandom(seed));
        Schema.ofJson("s.json", new String(mutated, StandardCharsets.UTF_8)).featureNames();
      } else if (what.equals("draft")) {
        Schema drafted = Schema.draft(source(seed), seed % 2 == 0 ? "y" : null);
        Schema back = Schema.ofJson("s.json", drafted.toJson());
        check(back.unlabeled(source(seed)));
      } else {
        check(Tables.SMALL.labeled(source(seed)));
      }
      return true;
    } catch (TableException e) {
      assertThat(e.getMessage()).doesNotContain("\n", "\r", "\0").hasSizeLessThan(1000);
      return false;
    } catch (RuntimeException e) {
      return fail("file of seed " + seed, e);
    }
  }

  private static CsvSource source(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] content = SEED.getBytes(StandardCharsets.UTF_8);
    content = mutate(seed % 5 == 0 ? Tables.gzip(content) : content, random);
    content = seed % 5 == 1 ? Tables.gzip(content) : content;
    CsvOptions options = new CsvOptions(seed % 7 != 0, seed % 3 == 0 ? ',' : null);
    return Tables.bytes(content, options);
  }

  private static void check(Examples examples) {
    for (float feature : examples.features()) {
      if (!(feature >= -1 && feature <= 1)) {
        fail("a feature must be from -1 to 1, got " + feature);
      }
    }
  }

  private static byte[] mutate(byte[] start, SplittableRandom random) {
    byte[] content = start;
    for (int i = random.nextInt(4); i > 0; i--) {
      int from = random.nextInt(content.length + 1);
      int to = Math.min(content.length, from + random.nextInt(12));
      content =
          switch (random.nextInt(6)) {
            case 0 -> splice(content, from, to, new byte[0]);
            case 1 -> splice(content, from, from, part(content, from, to));
            case 2 -> splice(content, from, from, spice(random));
            case 3 -> splice(content, from, from, new byte[] {'"'});
            case 4 -> splice(content, from, to, noise(random, to - from));
            default -> splice(content, from, from, part(content, 0, content.length));
          };
    }
    return content;
  }

  private static byte[] spice(SplittableRandom random) {
    int at = random.nextInt(SPICE.length());
    return SPICE.substring(at, at + 1).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] noise(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] part(byte[] content, int from, int to) {
    return Arrays.copyOfRange(content, from, to);
  }

  private static byte[] splice(byte[] content, int from, int to, byte[] middle) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(content, 0, from);
    out.writeBytes(middle);
    out.write(content, to, content.length - to);
    return out.toByteArray();
  }
}
