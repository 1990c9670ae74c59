package org.sordino.table;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * A table as a text with delimiters, in a file or in memory; compressed with gzip or not, which its
 * first bytes tell. It can be read any number of times.
 */
public final class CsvSource {

  private static final int BUFFER = 1 << 16;

  private final String name;
  private final Opener opener;
  private final CsvOptions options;

  private CsvSource(String name, Opener opener, CsvOptions options) {
    this.name = name;
    this.opener = opener;
    this.options = options;
  }

  /** A file. */
  public static CsvSource of(Path file, CsvOptions options) {
    return new CsvSource(file.toString(), () -> open(file), options);
  }

  /** The content of a file. */
  public static CsvSource of(String name, byte[] content, CsvOptions options) {
    return new CsvSource(name, () -> new ByteArrayInputStream(content), options);
  }

  /** Bytes from anywhere. */
  static CsvSource of(String name, Opener opener, CsvOptions options) {
    return new CsvSource(name, opener, options);
  }

  /** What messages call it. */
  public String name() {
    return name;
  }

  /** The names of the columns, in the order of the file. */
  public List<String> columns() {
    Header header = new Header();
    CsvScanner.scan(this, header);
    return header.names;
  }

  CsvOptions options() {
    return options;
  }

  /** The text, decompressed and decoded. */
  TextReader text() throws IOException {
    InputStream in = new BufferedInputStream(opener.open(), BUFFER);
    try {
      return new TextReader(name, isGzip(in) ? new GZIPInputStream(in, BUFFER) : in);
    } catch (IOException e) {
      in.close();
      throw new TableException(
          name + ": compressed data must be complete, got a damaged start; copy it again", e);
    }
  }

  private static boolean isGzip(InputStream in) throws IOException {
    in.mark(2);
    boolean magic = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return magic;
  }

  private static InputStream open(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new TableException(file + " must be a file, got a folder; name the file inside");
    }
    if (!Files.exists(file)) {
      throw new TableException(file + " must be a file that exists; check the name");
    }
    if (!Files.isReadable(file)) {
      throw new TableException(file + " must be readable; check its permissions");
    }
    return Files.newInputStream(file);
  }

  /** Gives the bytes from their beginning, each time anew. */
  interface Opener {
    InputStream open() throws IOException;
  }

  /** Stops after the header. */
  private static final class Header implements RowSink {

    private List<String> names = List.of();

    @Override
    public boolean columns(Place place) {
      names = place.columns();
      return false;
    }

    @Override
    public void field(int column, char[] buffer, int offset, int length) {}

    @Override
    public void endOfRow() {}
  }
}
