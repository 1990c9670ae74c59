package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.run.SampleRun;
import org.sordino.table.DemoCensus;

/** The commands of how-to guides work. */
class HowToPagesTest {

  @TempDir private Path folder;

  @Test
  void account_commandsSucceed() throws IOException, InterruptedException {
    SampleRun.in(folder.resolve("runs").resolve("x")).make();

    execute("how-to/account.md", 3);
  }

  @Test
  void shareABudget_commandsSucceed() throws IOException, InterruptedException {
    DemoCensus.write(folder.resolve("people.csv"), 1_000);

    execute("how-to/share-a-budget.md", 6);
  }

  private void execute(String page, int expected) throws IOException, InterruptedException {
    List<String> commands = Page.of(page).shellCommands();
    assertThat(commands).hasSize(expected);
    for (String command : commands) {
      Console.Outcome outcome = Page.execute(command, folder, "--steps 8");
      assertThat(outcome.code()).as(command + outcome.err()).isZero();
    }
  }
}
