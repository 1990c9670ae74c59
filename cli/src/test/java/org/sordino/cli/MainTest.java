package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.cli.Console.Outcome;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class MainTest {

  @Test
  void help_listsTheCommands() {
    Outcome outcome = Console.line("--help");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).contains("account", "calibrate", "reproduce", "Exit codes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "train",
        "resume",
        "plan",
        "schema",
        "predict",
        "evaluate",
        "statement",
        "report",
        "budget",
        "account",
        "calibrate",
        "reproduce"
      })
  void help_ofEachCommand_hasValidExamples(String command) {
    Outcome outcome = Console.run(command, "--help");

    assertThat(outcome.code()).isZero();
    List<String> examples =
        outcome.out().replace("\\\n", " ").lines().filter(l -> l.startsWith("  sordino ")).toList();
    assertThat(examples).isNotEmpty();
    for (String example : examples) {
      String[] args = example.strip().replaceFirst("sordino ", "").split(" +");
      assertThat(new CommandLine(new Main()).parseArgs(args).errors()).isEmpty();
    }
  }

  @Test
  void descriptionsOfOptions_haveNoFinalPeriod() {
    assertNoFinalPeriod(new CommandLine(new Main()));
    assertThat(Console.line("train --help").out()).contains("Show this help and exit\n");
  }

  private static void assertNoFinalPeriod(CommandLine command) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!option.usageHelp() && !option.versionHelp()) { // described by a resource bundle
        assertThat(String.join(" ", option.description()))
            .as(option.longestName())
            .doesNotEndWith(".");
      }
    }
    command.getSubcommands().values().forEach(MainTest::assertNoFinalPeriod);
  }

  @Test
  void unexpectedFailure_isOneLineAndCode1_andStackTraceOnRequest() {
    assertThat(failing())
        .startsWith("1: sordino account: unexpected failure")
        .contains("--stacktrace");
    assertThat(failing().lines()).hasSize(1);
    assertThat(failing("--stacktrace")).contains("at org.sordino.cli");
  }

  /** Runs a command that fails to write its output with an exception that no command handles. */
  private static String failing(String... more) {
    PrintWriter broken =
        new PrintWriter(Writer.nullWriter()) {
          @Override
          public void println(String text) {
            throw new IllegalStateException("broken");
          }
        };
    StringWriter err = new StringWriter();
    String line = "account --sampling-rate 1 --noise-multiplier 4 --steps 1 --delta 1e-5 --json";
    String[] args =
        Stream.concat(Stream.of(line.split(" ")), Stream.of(more)).toArray(String[]::new);
    int code = Main.run(broken, new PrintWriter(err), args);
    return code + ": " + err;
  }

  @Test
  void version_isThatOfTheBuild() {
    assertThat(Console.line("--version").out())
        .containsPattern("sordino \\d+\\.\\d+")
        .contains("Java");
  }
}
