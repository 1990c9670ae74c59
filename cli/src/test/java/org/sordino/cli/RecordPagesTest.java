package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands of the pages about users, metrics, normalization and planning work. */
class RecordPagesTest {

  @TempDir Path temp;

  static Stream<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    for (String name :
        List.of("protect-users", "private-metrics", "normalize-inputs", "plan-a-run")) {
      commands.addAll(Page.of("how-to/" + name + ".md").shellCommands());
    }
    assertThat(commands).hasSizeGreaterThan(8);
    return commands.stream();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void command_ofThePage_works(String command) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(5);
    StringBuilder text = new StringBuilder("patient,x,y,ill\n");
    for (int i = 0; i < 500; i++) {
      double x = random.nextDouble();
      text.append("p%d,%.3f,%.3f,%d\n".formatted(i % 40, x, random.nextDouble(), x > 0.4 ? 1 : 0));
    }
    Files.writeString(temp.resolve("visits.csv"), text);

    Console.Outcome outcome = Page.execute(command, temp, "--steps 8 --out " + temp.resolve("run"));

    assertThat(outcome.code()).as(outcome.err()).isZero();
  }
}
