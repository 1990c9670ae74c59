package org.sordino.reproduction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The git commit of the sources in the working directory. */
public final class GitCommit {

  private GitCommit() {}

  /**
   * Returns the commit ID, with "-changed" appended if the sources differ from it; empty if the
   * working directory is not a git checkout or git is not installed.
   */
  public static Optional<String> commit() {
    Optional<String> head = git("rev-parse", "HEAD").filter(id -> id.matches("[0-9a-f]{40,64}"));
    return head.map(
        id ->
            git("status", "--porcelain", "--", "core", "runs", "torch", "cli").orElse("").isEmpty()
                ? id
                : id + "-changed");
  }

  private static Optional<String> git(String... args) {
    List<String> command = new java.util.ArrayList<>(List.of("git"));
    command.addAll(List.of(args));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(10, TimeUnit.SECONDS);
      return ended && process.exitValue() == 0 ? Optional.of(answer.strip()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // git is not installed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
