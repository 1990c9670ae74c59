package org.sordino.reproduction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The sources that the working directory holds, where it is a git checkout. */
public final class GitCommit {

  private GitCommit() {}

  /** The commit, with "-changed" behind it where sources differ from it; empty without git. */
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
