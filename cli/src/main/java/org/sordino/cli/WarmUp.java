package org.sordino.cli;

import java.io.PrintWriter;
import java.io.Writer;

/**
 * Runs common commands once, without output. The launcher runs this class while the JVM records the
 * classes in use for class-data sharing, which makes later starts faster.
 */
final class WarmUp {

  private static final String[][] COMMANDS = {
    {"--help"},
    {"account", "--help"},
    {"account", "-h", "--nonsense"},
    "account --sampling-rate 0.01 --noise-multiplier 4 --steps 10000 --delta 1e-5".split(" "),
    "account --population 60000 --batch 256 --epochs 5 --noise-multiplier 0.5 --epsilon 1 --json"
        .split(" "),
    "calibrate --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --steps 10000 --json".split(" ")
  };

  private WarmUp() {}

  public static void main(String[] args) {
    for (String[] command : COMMANDS) {
      PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
      Main.run(nowhere, nowhere, command);
    }
  }
}
