package org.sordino.table;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A table as delimited text, in a file or in memory. Whether it is compressed with gzip is detected
 * from its first bytes.
 */
public final class CsvSource extends TableSource {

  private static final int BUFFER = 1 << 16;

  private final Opener opener;
  private final CsvOptions options;

  private CsvSource(String name, Opener opener, CsvOptions options) {
    super(name);
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

  /** Bytes from anywhere: another file system, memory. */
  public static CsvSource of(String name, Opener opener, CsvOptions options) {
    return new CsvSource(name, opener, options);
  }

  @Override
  void scan(RowSink sink) {
    CsvScanner.scan(this, sink);
  }

  CsvOptions options() {
    return options;
  }

  /** The text, decompressed and decoded. */
  TextReader text() throws IOException {
    InputStream in = new BufferedInputStream(opener.open(), BUFFER);
    try {
      return new TextReader(name(), isGzip(in) ? new GZIPInputStream(in, BUFFER) : in);
    } catch (IOException e) {
      in.close();
      throw new TableException(
          name() + ": compressed data must be complete, got a damaged start; copy it again", e);
    }
  }

  private static boolean isGzip(InputStream in) throws IOException {
    in.mark(2);
    boolean magic = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return magic;
  }

  private static InputStream open(Path file) throws IOException {
    requireReadable(file);
    return Files.newInputStream(file);
  }

  static void requireReadable(Path file) {
    if (Files.isDirectory(file)) {
      throw new TableException(file + " must be a file, got a folder; name the file inside");
    }
    if (!Files.exists(file)) {
      throw new TableException(file + " must be a file that exists; check the name");
    }
    if (!Files.isReadable(file)) {
      throw new TableException(file + " must be readable; check its permissions");
    }
  }

  /** Gives the bytes from their beginning, each time anew. */
  public interface Opener {

    /** The bytes from their beginning. */
    InputStream open() throws IOException;
  }
}
