package org.sordino.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.sordino.run.Run;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino report}: everything about a run on one page. */
@Command(
    name = "report",
    description = {
      "Everything about a run on one self-contained page: the statement, the cost over the steps by"
          + " all accountants, learning curves, plan and provenance. Written to report.html in the"
          + " run directory. It marks what is not private; statement.md has none of that."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {"", "Examples:", "  sordino report runs/x"})
final class ReportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RUN", description = "The directory of the run.")
  private Path path = Path.of("");

  @Override
  public Integer call() {
    spec.commandLine().getOut().println("wrote " + Run.open(path).writeReport());
    return Main.OK;
  }
}
