package org.sordino.table;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;

/** Parses a source and reports every failure as a {@link TableException}. */
final class CsvScanner {

  /** A longer field indicates an unclosed quote or a file that is not a table. */
  static final int LONGEST_FIELD = 1 << 20;

  private static final int BEGINNING = 1 << 15;

  private CsvScanner() {}

  /** Passes all rows to the sink, in order. */
  static void scan(CsvSource source, RowSink sink) {
    Place place = Place.inFile(source.name());
    try (TextReader text = source.text()) {
      RowHandler rows = new RowHandler(source.options().header(), place, sink);
      Iterator<Boolean> parser = parser(delimiter(source, text), rows, text).iterator();
      while (parser.hasNext() && parser.next()) {
        // the handler has passed the row to the sink
      }
      rows.end();
    } catch (CsvParseException e) {
      throw translate(e, place);
    } catch (UncheckedIOException | IOException e) {
      throw new TableException(
          source.name()
              + " must be readable; check the file and its disk. Reading failed with "
              + reason(e),
          e);
    }
  }

  private static CsvReader<Boolean> parser(char delimiter, RowHandler rows, TextReader text) {
    return CsvReader.builder()
        .fieldSeparator(delimiter)
        .trimWhitespacesAroundQuotes(true)
        .allowUnclosedQuote(false)
        .maxBufferSize(LONGEST_FIELD)
        .build(rows, text);
  }

  private static char delimiter(CsvSource source, TextReader text) throws IOException {
    Character given = source.options().delimiter();
    if (given != null) {
      return given;
    }
    return Delimiters.detect(text.beginning(BEGINNING));
  }

  /**
   * Converts an exception of the parser. The parser wraps exceptions of its callbacks. It has only
   * two errors itself: a misplaced quote and a field that is too long.
   */
  private static RuntimeException translate(CsvParseException e, Place place) {
    if (e.getCause() instanceof TableException own) {
      return own;
    }
    if (e.getCause() instanceof Error error) {
      throw error;
    }
    if (e.getCause() != null) {
      return e;
    }
    if (String.valueOf(e.getMessage()).contains("buffer")) {
      return place.inRow(
          String.format(
              "a field must have at most %,d characters, got more; look for an unclosed quote,"
                  + " and check that the file is a table",
              LONGEST_FIELD));
    }
    return place.inRow(
        "a quoted field must end with a quote before a delimiter or the end of the line; close"
            + " the quote, and double every quote inside the field");
  }

  private static String reason(Exception e) {
    Throwable cause = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
    return cause.getClass().getSimpleName() + ": " + Excerpt.of(String.valueOf(cause.getMessage()));
  }
}
