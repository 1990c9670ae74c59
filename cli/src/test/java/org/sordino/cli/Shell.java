package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs another program. */
final class Shell {

  private Shell() {}

  /** Runs a program to its end. Kills it and fails the test if it takes too long. */
  static Console.Outcome run(
      Path folder, Map<String, String> environment, int seconds, List<String> command)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("out", ".txt");
    Path err = Files.createTempFile("err", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(environment);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        throw new AssertionError(command + " took more than " + seconds + " s");
      }
      return new Console.Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
    }
  }
}
