package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.report.HtmlPage;
import org.sordino.report.Resources;
import org.sordino.report.TextTable;
import org.sordino.reproduction.GitCommit;
import org.sordino.reproduction.Reproduction;
import org.sordino.reproduction.ResultCache;
import org.sordino.run.InvalidInputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sordino reproduce}: recomputes published results and compares them with the printed
 * numbers.
 */
@Command(
    name = "reproduce",
    description = "Recompute published results and compare them with the printed numbers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Writes results.json, results.md (published | measured | verdict) and index.html with figures.",
      "Finished results are cached in the folder cells; an interrupted run resumes from there.",
      "",
      "Examples:",
      "  sordino reproduce --list",
      "  sordino reproduce composition --quick",
      "  sordino reproduce linear-1 --seeds 5",
      "  sordino reproduce composition --out docs/reproduction/composition"
    })
final class ReproduceCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "Result to reproduce (see --list)")
  private @Nullable String id;

  @Option(names = "--list", description = "List the available reproductions")
  private boolean list;

  @Option(names = "--quick", description = "Run a reduced version that takes seconds")
  private boolean quick;

  @Option(
      names = "--seeds",
      paramLabel = "COUNT",
      description = "Number of seeds for randomized results (default: 3, or 1 with --quick)")
  private @Nullable String seeds;

  @Option(
      names = "--keep-cells",
      description =
          "Also reuse cached results that another build computed with the same parameters;"
              + " results.json lists its commit")
  private boolean keepCells;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "Output folder (default: reproduction/ID)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    if (list) {
      Reproduction.all()
          .forEach(
              item -> spec.commandLine().getOut().printf("%-14s %s%n", item.id(), item.title()));
      return Main.OK;
    }
    Reproduction reproduction = chosen();
    int repeats = repeats();
    Path folder = out == null ? Path.of("reproduction", reproduction.id()) : out;
    OutputFiles.makeFolder("--out", folder);
    ResultCache cells = new ResultCache(folder.resolve("cells"), keepCells, this::report);
    long start = System.nanoTime();
    Reproduction.Result result = reproduction.run(new Reproduction.Effort(quick, repeats, cells));
    double seconds = (System.nanoTime() - start) / 1e9 + cells.reusedSeconds();
    write(
        reproduction,
        result,
        folder,
        new Made(command(reproduction, repeats), seconds, cells.commits()));
    PrintWriter text = spec.commandLine().getOut();
    text.print(table(result).markdown());
    text.println();
    if (cells.reused() > 0) {
      text.println(cells.reused() + " cached results were reused");
    }
    text.println("wrote " + folder.resolve("index.html") + ", results.md and results.json");
    return Main.OK;
  }

  private void report(String message) {
    spec.commandLine().getErr().println(message);
    spec.commandLine().getErr().flush();
  }

  private int repeats() {
    return seeds == null
        ? usualRepeats()
        : (int) OptionValues.whole("--seeds", seeds, 1, 1000, "try 3");
  }

  private int usualRepeats() {
    return quick ? 1 : 3;
  }

  private Reproduction chosen() {
    List<String> ids = Reproduction.all().stream().map(Reproduction::id).toList();
    return Reproduction.all().stream()
        .filter(item -> item.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidInputException(
                    id == null
                        ? "an ID is missing; use one of " + String.join(", ", ids)
                        : "ID must be one of "
                            + String.join(", ", ids)
                            + ", got "
                            + id
                            + "; see 'sordino reproduce --list'"));
  }

  /**
   * Describes how the results were computed.
   *
   * @param command command line that reproduces them
   * @param seconds computing time, including the original time of reused cells
   * @param commits commits of the builds that computed the cells
   */
  private record Made(String command, double seconds, List<String> commits) {}

  private String command(Reproduction reproduction, int repeats) {
    boolean givesSeeds = !reproduction.deterministic() && repeats != usualRepeats();
    return "./sordino reproduce "
        + reproduction.id()
        + (quick ? " --quick" : "")
        + (givesSeeds ? " --seeds " + repeats : "")
        + (keepCells ? " --keep-cells" : "");
  }

  private static void write(
      Reproduction reproduction, Reproduction.Result result, Path folder, Made made) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", reproduction.id());
    json.put("command", made.command);
    json.put("version", Resources.version("sordino"));
    GitCommit.commit().ifPresent(commit -> json.put("commit", commit));
    if (!made.commits.isEmpty()) {
      json.put("cellsOfCommits", made.commits);
    }
    json.put("seconds", Math.rint(made.seconds * 10) / 10);
    json.put("deterministic", reproduction.deterministic());
    json.put("findings", result.findings().stream().map(Reproduction.Finding::json).toList());
    json.putAll(result.data());
    String text = markdown(reproduction, result, made);
    OutputFiles.write("--out", folder.resolve("results.json"), Json.writePretty(json) + "\n");
    OutputFiles.write("--out", folder.resolve("results.md"), text);
    OutputFiles.write(
        "--out", folder.resolve("index.html"), page(reproduction, result, made).html());
  }

  private static TextTable table(Reproduction.Result result) {
    return new TextTable(
        List.of("claim", "published", "measured", "verdict"),
        result.findings().stream().map(Reproduction.Finding::row).toList());
  }

  private static String chance(Reproduction reproduction) {
    return reproduction.deterministic()
        ? "The computation is deterministic: every run gives the same numbers, and --seeds has"
            + " no effect."
        : "Randomized results are means over the seeds ± the standard deviation.";
  }

  private static String markdown(Reproduction reproduction, Reproduction.Result result, Made made) {
    return "# "
        + reproduction.title()
        + "\n\nGenerated by `"
        + made.command
        + "`. Figures are in `index.html`, all numbers in `results.json`. "
        + chance(reproduction)
        + "\n\n"
        + table(result).markdown()
        + "\n"
        + String.join("\n\n", result.remarks())
        + "\n";
  }

  private static HtmlPage page(Reproduction reproduction, Reproduction.Result result, Made made) {
    HtmlPage page =
        new HtmlPage(reproduction.title())
            .command(made.command)
            .table(table(result))
            .paragraph(chance(reproduction));
    result.remarks().forEach(page::paragraph);
    result.figures().forEach(page::figure);
    return page;
  }
}
