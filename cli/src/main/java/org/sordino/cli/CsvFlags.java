package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.table.CsvOptions;
import picocli.CommandLine.Option;

/** How a file of delimited text is laid out, as far as the user says so. */
final class CsvFlags {

  @Option(names = "--no-header", description = "The first line is a record; columns are c1, c2.")
  private boolean noHeader;

  @Option(
      names = "--delimiter",
      paramLabel = "CHARACTER",
      description = "Between fields; found out if not given. 'tab' for a tabulator.")
  private @Nullable String delimiter;

  /** Whether anything was said. */
  boolean isGiven() {
    return noHeader || delimiter != null;
  }

  CsvOptions options() {
    CsvOptions options = noHeader ? CsvOptions.DEFAULT.withoutHeader() : CsvOptions.DEFAULT;
    if (delimiter == null) {
      return options;
    }
    String character = delimiter.equals("tab") || delimiter.equals("\\t") ? "\t" : delimiter;
    if (character.length() != 1) {
      throw InvalidInputException.of(
          "--delimiter", "one character", delimiter, "for instance ';' or 'tab'");
    }
    return options.delimitedBy(character.charAt(0));
  }
}
