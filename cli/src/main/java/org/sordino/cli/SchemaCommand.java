package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.table.CsvSource;
import org.sordino.table.Schema;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino schema}: drafts a schema from a table, to be corrected manually. */
@Command(
    name = "schema",
    description = {
      "Draft a schema from a table: columns with bounds and categories, and the label",
      "",
      "The draft is taken from the records, outside any guarantee. Correct it from public"
          + " knowledge, then set its \"origin\" to \"public\"."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino schema people.csv --label employed --out schema.json",
      "  sordino schema people.tsv --delimiter tab --no-header",
      "",
      "Then: sordino train --data people.csv --schema schema.json --epsilon 1"
    })
final class SchemaCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE.csv", description = "CSV file, which may be compressed with gzip")
  private Path data = Path.of("");

  @Mixin private CsvFlags csv;

  @Option(names = "--label", paramLabel = "COLUMN", description = "Column to predict")
  private @Nullable String label;

  @Option(
      names = "--out",
      paramLabel = "SCHEMA.json",
      description = "Output file (default: standard output)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    if (out != null && Files.exists(out)) { // may have been corrected manually
      throw InvalidInputException.of(
          "--out", "a new file", out.toString(), "delete it or choose another name");
    }
    if (out != null) {
      OutputFiles.check("--out", out);
    }
    String draft = Schema.draft(CsvSource.of(data, csv.options()), label).toJson().strip() + "\n";
    if (out == null) {
      spec.commandLine().getOut().print(draft);
    } else {
      OutputFiles.write("--out", out, draft);
      spec.commandLine().getErr().println("wrote " + out + "; correct it from public knowledge");
    }
    return Main.OK;
  }
}
