package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Generates docs/reference/commands.md from the commands, and checks that it is up to date. */
class CommandsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "reference", "commands.md");
  private static final String UPDATE =
      "mvn -q -pl cli -am test -Dtest=CommandsPageTest -Dsordino.update=true"
          + " -Dsurefire.failIfNoSpecifiedTests=false";

  @Test
  void page_isTheHelpOfAllCommands() throws IOException {
    String expected = page();
    if (Boolean.getBoolean("sordino.update")
        && !(Files.exists(PAGE) && Files.readString(PAGE).equals(expected))) {
      Files.writeString(PAGE, expected);
    }

    assertThat(PAGE)
        .as("docs/reference/commands.md is generated; update it with: " + UPDATE)
        .content()
        .isEqualTo(expected);
  }

  private static String page() {
    CommandLine main =
        new CommandLine(new Main())
            .setResourceBundle(new Main.StandardHelp())
            .setUsageHelpAutoWidth(false);
    StringBuilder page =
        new StringBuilder(
            """
            # Commands

            The help text of every command, as `./sordino COMMAND --help` prints it. Exit codes and
            environment variables are in [Environment](environment.md).

            This page is generated; do not edit it. Change the commands, then run

            ```sh
            %s
            ```
            """
                .formatted(UPDATE));
    add(page, main, "##");
    return page.toString();
  }

  private static void add(StringBuilder page, CommandLine command, String heading) {
    String usage = command.setUsageHelpWidth(100).getUsageMessage(Ansi.OFF);
    page.append('\n')
        .append(heading)
        .append(' ')
        .append(command.getCommandSpec().qualifiedName())
        .append("\n\n```text\n")
        .append(usage.lines().map(String::stripTrailing).collect(Collectors.joining("\n")))
        .append("\n```\n");
    command.getSubcommands().values().stream()
        .distinct()
        .filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
        .forEach(sub -> add(page, sub, isRoot(command) ? "##" : heading + "#"));
  }

  private static boolean isRoot(CommandLine command) {
    return command.getParent() == null;
  }
}
