package org.sordino.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.run.InvalidInputException;
import org.sordino.run.PrivacyStatement;
import org.sordino.run.Run;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino statement}: writes the privacy statement of a run. */
@Command(
    name = "statement",
    description = {
      "Write the privacy statement of a run, computed from its ledger",
      "",
      "Prints the statement and writes it to statement.md in the run directory. For a run without a"
          + " guarantee, the statement explains why there is none, and the exit code is 2."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino statement runs/x",
      "  sordino statement runs/x --json",
      "",
      "The statement records the length of the ledger. A ledger that becomes shorter later is",
      "rejected."
    })
final class StatementCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RUN", description = "Run directory")
  private Path path = Path.of("");

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    Run run = Run.open(path);
    PrivacyStatement statement = run.statement();
    Path file = run.writeStatement();
    if (statement.refusal().isPresent()) {
      throw new InvalidInputException(
          "no guarantee can be stated: "
              + statement.refusal().get()
              + "; train again without an insecure seed and with noise");
    }
    if (json) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>(statement.json());
      answer.put("statement", file.toString());
      spec.commandLine().getOut().println(Json.writePretty(answer));
    } else {
      spec.commandLine().getOut().print(statement.markdown());
    }
    spec.commandLine().getErr().println("wrote " + file);
    return Main.OK;
  }
}
