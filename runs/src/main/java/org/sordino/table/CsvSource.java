package org.sordino.table;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A table as delimited text, in a file or in memory. Compression with gzip is detected from the
 * first bytes.
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

  /** Returns a source that reads a file. */
  public static CsvSource of(Path file, CsvOptions options) {
    return new CsvSource(file.toString(), () -> open(file), options);
  }

  /**
   * Returns a source that reads the content of a file from memory.
   *
   * @param name the name of the source in error messages
   */
  public static CsvSource of(String name, byte[] content, CsvOptions options) {
    return new CsvSource(name, () -> new ByteArrayInputStream(content), options);
  }

  /**
   * Returns a source that reads bytes from any location, such as another file system.
   *
   * @param name the name of the source in error messages
   */
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

  /** Opens the text, decompressed and decoded. */
  TextReader text() throws IOException {
    InputStream in = new BufferedInputStream(opener.open(), BUFFER);
    try {
      return new TextReader(name(), isGzip(in) ? new GZIPInputStream(in, BUFFER) : in);
    } catch (IOException e) {
      in.close();
      throw new TableException(
          name() + ": compressed data must be intact, got a damaged header; copy the file again",
          e);
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
      TableFormats.refuse(file);
      throw new TableException(
          file + " must be a file, got a folder; give the path of a file in it");
    }
    if (!Files.exists(file)) {
      throw new TableException(file + " must be an existing file; check the path");
    }
    if (!Files.isReadable(file)) {
      throw new TableException(file + " must be readable; check its permissions");
    }
  }

  /** Opens the bytes of a source. Each call returns a new stream. */
  public interface Opener {

    /** Returns a stream that starts at the first byte. */
    InputStream open() throws IOException;
  }
}
