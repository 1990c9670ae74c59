package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.table.CsvOptions;
import picocli.CommandLine.Option;

/** The options that describe the format of a CSV file. */
final class CsvFlags {

  @Option(
      names = "--no-header",
      description = "Read the first line as a record and name the columns c1, c2 and so on")
  private boolean noHeader;

  @Option(
      names = "--delimiter",
      paramLabel = "CHARACTER",
      description = "Field delimiter: one character, or tab (default: detected automatically)")
  private @Nullable String delimiter;

  /** Whether any of these options was given. */
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
      throw InvalidInputException.of("--delimiter", "one character", delimiter, "try ';' or tab");
    }
    return options.delimitedBy(character.charAt(0));
  }
}
