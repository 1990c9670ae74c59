package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the commands of docs/how-to/records.md. */
class RecordsPageTest {

  @TempDir Path temp;

  static Stream<String> commands() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "how-to", "records.md"));
    List<String> commands =
        Pattern.compile("(?m)^\\./sordino (.*)$")
            .matcher(page)
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(commands).hasSizeGreaterThan(8);
    return commands.stream();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void command_ofThePage_works(String command) throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    StringBuilder text = new StringBuilder("patient,x,y,ill\n");
    for (int i = 0; i < 500; i++) {
      double x = random.nextDouble();
      text.append("p%d,%.3f,%.3f,%d\n".formatted(i % 40, x, random.nextDouble(), x > 0.4 ? 1 : 0));
    }
    Path visits = Files.writeString(temp.resolve("visits.csv"), text);
    String run = command.startsWith("train") ? " --steps 8 --out " + temp.resolve("run") : "";

    Console.Outcome outcome = Console.line(command.replace("visits.csv", visits.toString()) + run);

    assertThat(outcome.code()).as(outcome.err()).isZero();
  }
}
