package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino reproduce}: published results, computed again beside the printed numbers. */
@Command(
    name = "reproduce",
    description = "Published results, computed again beside the printed numbers.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Writes results.json, results.md (published | measured | verdict) and index.html with figures.",
      "",
      "Examples:",
      "  sordino reproduce --list",
      "  sordino reproduce composition --quick",
      "  sordino reproduce composition --out docs/reproduction/composition"
    })
final class ReproduceCommand implements Callable<Integer> {

  private static final List<Reproduction> ALL = List.of(new CompositionReproduction());

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "What to reproduce; see --list.")
  private @Nullable String id;

  @Option(names = "--list", description = "List what can be reproduced.")
  private boolean list;

  @Option(names = "--quick", description = "Fewer points, within seconds.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "Where to write; without it, reproduction/ID.")
  private @Nullable Path out;

  @Override
  public Integer call() {
    if (list) {
      ALL.forEach(
          item -> spec.commandLine().getOut().printf("%-14s %s%n", item.id(), item.title()));
      return Main.OK;
    }
    Reproduction reproduction = chosen();
    Path folder = out == null ? Path.of("reproduction", reproduction.id()) : out;
    Output.makeFolder("--out", folder);
    long start = System.nanoTime();
    Reproduction.Result result = reproduction.run(quick);
    double seconds = (System.nanoTime() - start) / 1e9;
    write(reproduction, result, folder, seconds);
    PrintWriter text = spec.commandLine().getOut();
    text.print(table(result).markdown());
    text.println();
    text.println("wrote " + folder.resolve("index.html") + ", results.md and results.json");
    return Main.OK;
  }

  private Reproduction chosen() {
    List<String> ids = ALL.stream().map(Reproduction::id).toList();
    return ALL.stream()
        .filter(item -> item.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInput(
                    id == null
                        ? "an ID is missing; it is one of " + String.join(", ", ids)
                        : "ID must be one of "
                            + String.join(", ", ids)
                            + ", got "
                            + id
                            + "; see 'sordino reproduce --list'"));
  }

  private void write(
      Reproduction reproduction, Reproduction.Result result, Path folder, double seconds) {
    String command = "./sordino reproduce " + reproduction.id() + (quick ? " --quick" : "");
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", reproduction.id());
    json.put("command", command);
    json.put("version", Resources.version("sordino"));
    json.put("seconds", Math.rint(seconds * 10) / 10);
    json.put("findings", result.findings().stream().map(Reproduction.Finding::json).toList());
    json.putAll(result.data());
    Output.write("--out", folder.resolve("results.json"), Json.writePretty(json) + "\n");
    Output.write("--out", folder.resolve("results.md"), markdown(reproduction, result, command));
    Output.write("--out", folder.resolve("index.html"), page(reproduction, result, command).html());
  }

  private static Table table(Reproduction.Result result) {
    return new Table(
        List.of("claim", "published", "measured", "verdict"),
        result.findings().stream().map(Reproduction.Finding::row).toList());
  }

  private static String markdown(
      Reproduction reproduction, Reproduction.Result result, String command) {
    return "# "
        + reproduction.title()
        + "\n\nMade by `"
        + command
        + "`; figures in `index.html`, all numbers in `results.json`.\n\n"
        + table(result).markdown()
        + "\n"
        + String.join("\n\n", result.remarks())
        + "\n";
  }

  private static HtmlPage page(
      Reproduction reproduction, Reproduction.Result result, String command) {
    HtmlPage page = new HtmlPage(reproduction.title()).command(command).table(table(result));
    result.remarks().forEach(page::paragraph);
    result.figures().forEach(page::figure);
    return page;
  }
}
