package org.sordino.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One pass over a ledger that verifies every line and stops at the first invalid one. */
final class LedgerScan {

  private static final String BEGIN = "{\"ledger\":\"" + EntryJson.MAGIC + "\",\"version\":";

  private static final Pattern CHAIN_FIELD =
      Pattern.compile(Pattern.quote(Chain.FIELD) + "[0-9a-f]{" + 2 * Chain.BYTES + "}\"\\}");

  private static final String NO_HEADER_FIX =
      "if the run never began, delete the file and start the run again; otherwise restore it from"
          + " a copy";

  private final Path path;
  private final List<Head> known;
  private final Consumer<Entry> sink;
  private @Nullable Header header;
  private Chain chain = Chain.start();
  private LedgerState state = LedgerState.START;
  private long size;
  private Tail tail = Tail.NONE;

  /** The rest of the file after the last complete line. */
  enum Tail {
    NONE,
    /** The beginning of a line. */
    TORN,
    /** A line that lacks only its line feed; it counts. */
    UNTERMINATED
  }

  private LedgerScan(Path path, List<Head> known, Consumer<Entry> sink) {
    this.path = path;
    this.known = known;
    this.sink = sink;
  }

  /** Reads a ledger that must be complete. */
  static LedgerContents read(Storage storage, Path path, List<Head> known) {
    List<Entry> entries = new ArrayList<>();
    LedgerScan scan = new LedgerScan(path, known, entries::add);
    scan.run(storage);
    if (scan.tail != Tail.NONE) {
      throw new LedgerDamagedException(
          path,
          scan.tail == Tail.TORN ? scan.chain.lines() + 1 : scan.chain.lines(),
          "the last line is cut off",
          "if a crash did this, resuming the run repairs it; otherwise restore the file from a"
              + " copy");
    }
    return new LedgerContents(scan.header(), entries, scan.chain.head(), scan.state.isFinished());
  }

  /** Verifies a ledger whose last line may have been cut off by a crash. */
  static LedgerScan forResuming(Storage storage, Path path, Head known) {
    LedgerScan scan = new LedgerScan(path, List.of(known), entry -> {});
    scan.run(storage);
    return scan;
  }

  Header header() {
    if (header == null) {
      throw new LedgerDamagedException(path, 1, "there is no complete header", NO_HEADER_FIX);
    }
    return header;
  }

  Chain chain() {
    return chain;
  }

  LedgerState state() {
    return state;
  }

  /** Returns the number of bytes before the tail, or including the tail if it counts. */
  long size() {
    return size;
  }

  Tail tail() {
    return tail;
  }

  private void run(Storage storage) {
    try (InputStream in = storage.read(path)) {
      LineReader lines = new LineReader(in);
      requireKnown();
      for (byte[] line = next(lines); line != null; line = next(lines)) {
        if (lines.isComplete()) {
          verify(line);
          size += line.length + 1;
        } else {
          verifyTail(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("ledger " + path + " cannot be read: " + e, e);
    }
    header();
    for (Head head : known) {
      if (chain.lines() < head.lines()) {
        throw damaged(
            "the file was shortened: it had " + head.lines() + " lines when its head was recorded");
      }
    }
  }

  private byte @Nullable [] next(LineReader lines) throws IOException {
    try {
      return lines.next();
    } catch (IllegalArgumentException e) {
      throw new LedgerDamagedException(path, chain.lines() + 1, e);
    }
  }

  private void verify(byte[] line) {
    if (chain.lines() == 0) {
      requireBegin(line);
    }
    int length = Math.max(0, line.length - Chain.FIELD_LENGTH);
    Chain next = chain.next(line, length);
    if (!Arrays.equals(line, length, line.length, next.field(), 0, Chain.FIELD_LENGTH)) {
      throw damaged(
          "the checksum is wrong: the line was changed, or lines before it were removed, added or"
              + " reordered");
    }
    try {
      accept(decode(line));
    } catch (IllegalArgumentException e) {
      throw new LedgerDamagedException(path, chain.lines() + 1, e);
    }
    chain = next;
    requireKnown();
  }

  private void accept(String line) {
    if (header == null) {
      header = EntryJson.readHeader(line);
      return;
    }
    Entry entry = EntryJson.read(line);
    state = state.after(entry);
    sink.accept(entry);
  }

  /** Checked before the checksum, which another version may compute differently. */
  private void requireBegin(byte[] line) {
    String text = new String(line, StandardCharsets.ISO_8859_1);
    if (!text.startsWith(BEGIN)) {
      throw damaged(
          "this is not a Sordino ledger", "check the path, or restore the file from a copy");
    }
    int end = Math.max(BEGIN.length(), text.indexOf(',', BEGIN.length()));
    String version = text.substring(BEGIN.length(), end);
    if (!version.equals(Long.toString(EntryJson.VERSION))) {
      throw damaged(
          "this is a ledger of version "
              + version
              + ", but this version of Sordino reads version "
              + EntryJson.VERSION,
          "use a newer version of Sordino, or restore the file from a copy");
    }
  }

  /**
   * Handles a last line without line feed, as a crash may leave it. If its checksum is complete,
   * the line counts: counting too much is safe. A crash cannot leave a line that continues after
   * its checksum.
   */
  private void verifyTail(byte[] bytes) {
    var field = CHAIN_FIELD.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
    if (!field.find()) {
      tail = Tail.TORN;
      return;
    }
    verify(bytes);
    size += bytes.length;
    tail = Tail.UNTERMINATED;
  }

  private void requireKnown() {
    for (Head head : known) {
      if (chain.lines() == head.lines() && !chain.head().equals(head)) {
        throw new LedgerDamagedException(
            path,
            Math.max(1, head.lines()),
            "the checksum was "
                + head.chain()
                + " when the head of this ledger was recorded: this is another ledger, or it was"
                + " rewritten");
      }
    }
  }

  private static String decode(byte[] line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the line is not valid UTF-8", e);
    }
  }

  private LedgerDamagedException damaged(String problem) {
    return new LedgerDamagedException(path, chain.lines() + 1, problem);
  }

  private LedgerDamagedException damaged(String problem, String fix) {
    return new LedgerDamagedException(path, chain.lines() + 1, problem, fix);
  }
}
