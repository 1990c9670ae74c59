package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;

/**
 * A ledger that the user names. Inside a run directory, the rest of the run vouches for its length
 * and supplies delta; alone it is enough too.
 *
 * @param file the ledger
 */
record LedgerOption(Path file) {

  LedgerOption {
    if (!Files.isRegularFile(file)) {
      throw Numbers.bad(
          "--ledger", "a file that exists", file.toString(), "it is the ledger.jsonl of a run");
    }
  }

  LedgerContents read() {
    RunDirectory run = run();
    return run == null ? Ledger.read(file) : run.ledger();
  }

  /** What the run itself is asked for; null if the ledger is alone. */
  @Nullable SolveFor solveFor() {
    RunDirectory run = run();
    return run == null ? null : new SolveFor(SolveFor.Asked.EPSILON, run.info().delta());
  }

  private @Nullable RunDirectory run() {
    Path folder = file.toAbsolutePath().getParent();
    return folder != null
            && file.endsWith("ledger.jsonl")
            && Files.isRegularFile(folder.resolve("run.json"))
        ? new RunDirectory(folder)
        : null;
  }
}
