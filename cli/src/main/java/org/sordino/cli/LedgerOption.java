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
 * A ledger named on the command line. If the file is in a run directory, its length is checked
 * against the other files of the run, and the run supplies delta. A ledger file alone works too.
 *
 * @param file ledger file
 */
record LedgerOption(Path file) {

  LedgerOption {
    if (!Files.isRegularFile(file)) {
      throw InvalidInputException.of(
          "--ledger", "a file that exists", file.toString(), "use the ledger.jsonl of a run");
    }
  }

  LedgerContents read() {
    return run().map(Run::ledger).orElseGet(() -> Ledger.read(file));
  }

  /**
   * Returns what to compute by default, epsilon at the run's delta; null outside a run directory.
   */
  @Nullable SolveFor solveFor() {
    return run().map(run -> new SolveFor(SolveFor.Target.EPSILON, run.delta())).orElse(null);
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
