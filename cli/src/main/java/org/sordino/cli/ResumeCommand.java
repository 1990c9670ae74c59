package org.sordino.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Run;
import org.sordino.run.TableLocation;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.table.JdbcConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino resume}: finishes a run that was stopped or killed. */
@Command(
    name = "resume",
    description = "Finish a run that was stopped or killed",
    mixinStandardHelpOptions = true,
    usageHelpWidth = 100,
    footer = {
      "",
      "Example:",
      "  sordino resume runs/people-1",
      "",
      "With the same records and the key of the run, steps are repeated bit for bit at no extra",
      "privacy cost. If the records, the plan, the program, Java or (for networks) the processor",
      "have changed, or the key is lost, the run continues with a new key, and the repeated steps",
      "are counted again."
    })
final class ResumeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RUN", description = "Run directory")
  private Path run = Path.of("");

  @Option(
      names = "--data",
      paramLabel = "URL",
      description =
          "JDBC URL of the run's database; needed if the URL has parameters, or if credentials are not"
              + " in SORDINO_JDBC_USER and SORDINO_JDBC_PASSWORD, because a run stores neither")
  private @Nullable String data;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    Run unfinished = Run.open(run);
    Training training = Training.of(task(unfinished));
    return new TrainingSession(training, spec.commandLine().getOut(), json)
        .execute(unfinished.plan().privacy().steps(), () -> training.resume(run));
  }

  private Task task(Run unfinished) {
    String url = data;
    if (url != null
        && (!TableLocation.isDatabase(url)
            || !JdbcConnection.redacted(url).equals(unfinished.task().data()))) {
      throw InvalidInputException.of(
          "--data",
          "the database of the run, " + unfinished.task().data(),
          JdbcConnection.redacted(url),
          "leave it out unless the run needs credentials");
    }
    return Task.of(unfinished.task(), url);
  }
}
