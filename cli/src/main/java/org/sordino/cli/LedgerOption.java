package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.report.SolveFor;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Run;

/**
 * A ledger that the user names. Inside a run directory, the rest of the run vouches for its length
 * and supplies delta; alone it is enough too.
 *
 * @param file the ledger
 */
record LedgerOption(Path file) {

  LedgerOption {
    if (!Files.isRegularFile(file)) {
      throw InvalidInputException.of(
          "--ledger", "a file that exists", file.toString(), "it is the ledger.jsonl of a run");
    }
  }

  LedgerContents read() {
    return run().map(Run::ledger).orElseGet(() -> Ledger.read(file));
  }

  /** What the run itself was asked for; null if the ledger is alone. */
  @Nullable SolveFor solveFor() {
    return run().map(run -> new SolveFor(SolveFor.Asked.EPSILON, run.delta())).orElse(null);
  }

  private Optional<Run> run() {
    Path folder = file.toAbsolutePath().getParent();
    return folder != null
            && file.endsWith("ledger.jsonl")
            && Files.isRegularFile(folder.resolve("run.json"))
        ? Optional.of(Run.open(folder))
        : Optional.empty();
  }
}
