package org.sordino.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.logging.LogManager;
import org.sordino.ledger.LedgerDamagedException;
import org.sordino.ledger.LedgerLockedException;
import org.sordino.ledger.LedgerWriteException;
import org.sordino.report.Resources;
import org.sordino.run.BudgetRefusedException;
import org.sordino.run.InvalidInputException;
import org.sordino.run.RunDamagedException;
import org.sordino.table.TableException;
import org.sordino.training.CheckpointDamagedException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code sordino}. */
@Command(
    name = "sordino",
    description = "Train and use machine-learning models with differential privacy",
    subcommands = {
      TrainCommand.class,
      ResumeCommand.class,
      PlanCommand.class,
      SchemaCommand.class,
      PredictCommand.class,
      EvaluateCommand.class,
      StatementCommand.class,
      ReportCommand.class,
      BudgetCommand.class,
      AccountCommand.class,
      CalibrateCommand.class,
      BenchCommand.class,
      DataCommand.class,
      ReproduceCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpWidth = 100,
    footer = {
      "",
      "Run 'sordino COMMAND --help' for the options of a command and examples.",
      "Exit codes: 0 success, 1 unexpected failure, 2 invalid input, 3 privacy budget exceeded,",
      "4 damaged run, 130 interrupted."
    })
public final class Main implements Runnable {

  static final int OK = 0;
  static final int UNEXPECTED = 1;
  static final int BAD_INPUT = 2;
  static final int BUDGET_REFUSED = 3;
  static final int DAMAGED_RUN = 4;
  static final int STOPPED = 130;

  @Spec private CommandSpec spec;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of an unexpected failure")
  private boolean stacktrace;

  /** Runs one command and exits with its exit code. */
  public static void main(String[] args) {
    silenceDrivers(args);
    System.exit(run(writer(System.out), writer(System.err), args));
  }

  /**
   * Turns off logging for databases: JDBC drivers log the parts of a URL that they fail to parse,
   * and these may contain passwords.
   */
  private static void silenceDrivers(String[] args) {
    boolean database = Arrays.stream(args).anyMatch(argument -> argument.contains("jdbc:"));
    if (database && System.getProperty("java.util.logging.config.file") == null) {
      LogManager.getLogManager().reset();
    }
  }

  /** Runs one command and returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    Main main = new Main();
    CommandLine commandLine =
        new CommandLine(main)
            .setOut(out)
            .setErr(err)
            .setResourceBundle(new StandardHelp())
            .setParameterExceptionHandler(Main::explainBadOptions)
            .setExecutionExceptionHandler(main::explainFailure);
    int code = commandLine.execute(args);
    out.flush();
    err.flush();
    return code;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int explainBadOptions(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String fix = "see '" + command.getCommandSpec().qualifiedName() + " --help'";
    if (e instanceof UnmatchedArgumentException unmatched) {
      List<String> suggestions = unmatched.getSuggestions();
      if (!suggestions.isEmpty()) {
        fix = "did you mean " + suggestions.get(0) + "?";
      }
    }
    return fail(command, e.getMessage() + "; " + fix, BAD_INPUT);
  }

  private int explainFailure(Exception e, CommandLine command, ParseResult parsed) {
    if (e instanceof InvalidInputException || e instanceof TableException) {
      return fail(command, OptionNames.inMessage(e), BAD_INPUT);
    }
    if (e instanceof BudgetRefusedException) {
      return fail(command, String.valueOf(e.getMessage()), BUDGET_REFUSED);
    }
    if (isAboutFilesOfARun(e)) {
      return fail(command, String.valueOf(e.getMessage()), DAMAGED_RUN);
    }
    if (stacktrace) {
      e.printStackTrace(command.getErr());
    }
    String hint = stacktrace ? "" : "; run again with --stacktrace and report the output";
    return fail(command, "unexpected failure: " + e + hint, UNEXPECTED);
  }

  private static boolean isAboutFilesOfARun(Exception e) {
    return e instanceof RunDamagedException
        || e instanceof LedgerDamagedException
        || e instanceof LedgerLockedException
        || e instanceof LedgerWriteException
        || e instanceof CheckpointDamagedException
        || e instanceof UncheckedIOException;
  }

  /** Prints the message on one line, without its line breaks, and returns the exit code. */
  private static int fail(CommandLine command, String message, int code) {
    String line = message.replaceAll("\\s*\\R\\s*", " ");
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + line);
    return code;
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
  }

  /** Replaces the help texts of picocli's own options, which end with a period. */
  static final class StandardHelp extends ListResourceBundle {

    @Override
    protected Object[][] getContents() {
      return new Object[][] {
        {"mixinStandardHelpOptions.help", "Show this help and exit"},
        {"mixinStandardHelpOptions.version", "Show the version and exit"}
      };
    }
  }

  /** Supplies the output of {@code --version}. */
  static final class VersionProvider implements CommandLine.IVersionProvider {

    @Override
    public String[] getVersion() {
      return new String[] {
        "sordino " + Resources.version("sordino"),
        "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
      };
    }
  }
}
