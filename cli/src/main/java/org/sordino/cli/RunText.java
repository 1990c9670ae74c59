package org.sordino.cli;

/** What people read about a run. */
final class RunText {

  private RunText() {}

  static void write(RunDirectory run) {}
}
