package org.sordino.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.sordino.run.Run;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino report}: writes the HTML report of a run. */
@Command(
    name = "report",
    description = {
      "Write the report of a run as one self-contained HTML page",
      "",
      "The page is written to report.html in the run directory. It contains the statement, the cost"
          + " over the steps by all accountants, learning curves, plan and provenance. It includes"
          + " results that are not private and marks them; statement.md contains none of these."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {"", "Examples:", "  sordino report runs/x"})
final class ReportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RUN", description = "Run directory")
  private Path path = Path.of("");

  @Override
  public Integer call() {
    spec.commandLine().getOut().println("wrote " + Run.open(path).writeReport());
    return Main.OK;
  }
}
