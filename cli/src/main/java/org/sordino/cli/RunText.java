package org.sordino.cli;

/** What people read about a run. */
final class RunText {

  private RunText() {}

  /** Writes the statement and the report. */
  static void write(RunDirectory run) {
    run.write(Statement.FILE, Statement.of(run));
    run.write(Report.FILE, Report.of(run).html());
  }
}
