package org.sordino.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino resume}: goes on with a run that was stopped or killed. */
@Command(
    name = "resume",
    description = "Goes on with a run that was stopped or killed.",
    mixinStandardHelpOptions = true,
    usageHelpWidth = 100,
    footer = {
      "",
      "Example:",
      "  sordino resume runs/people-1",
      "",
      "With the same records and the key of the run, steps are repeated bit for bit, at no extra",
      "cost. If records, plan, program, Java or (for networks) the processor have changed, or the",
      "key is lost, the run goes on with a fresh key, and the repeated steps count again."
    })
final class ResumeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RUN", description = "The run directory.")
  private Path run = Path.of("");

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    RunDirectory directory = RunDirectory.existing(run);
    RunInfo info = directory.info();
    Task task = Task.of(info.task());
    return new TrainSession(
            directory, info, task, directory.plan(), spec.commandLine().getOut(), json)
        .resume();
  }
}
