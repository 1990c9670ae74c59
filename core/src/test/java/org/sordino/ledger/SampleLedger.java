package org.sordino.ledger;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/** A small ledger with every kind of entry and every kind of event. */
final class SampleLedger {

  static final Path PATH = Path.of("sample.jsonl");

  static final Header HEADER =
      new Header(
          "sample",
          Neighboring.ADD_OR_REMOVE_ONE,
          "example",
          60_000,
          Header.SECURE,
          Map.of("plan", "p\u00e4per \u2028 \ud83c\udfbb \"\\\n", "data", "mnist"));

  static final PrivacyEvent STEP = new PrivacyEvent.SampledGaussian(0.01, 4);
  static final PrivacyEvent LATER_STEP = new PrivacyEvent.SampledGaussian(0.01, 3);
  static final PrivacyEvent MEAN = new PrivacyEvent.Gaussian(Double.POSITIVE_INFINITY);

  static final List<Entry> ENTRIES =
      List.of(
          new Entry.Query("mean of the pixels", new PrivacyEvent.Composition(List.of(MEAN, STEP))),
          new Entry.Reserve(0, 10, STEP),
          new Entry.RealizedEntry(
              0, List.of(new Realized("all", 1, 4), new Realized("loss", 1e-3, 0.1))),
          new Entry.Reserve(10, 10, LATER_STEP.times(2)),
          new Entry.RealizedEntry(11, List.of(new Realized("all", Double.POSITIVE_INFINITY, 0))),
          new Entry.Restart(15, "the data changed"),
          new Entry.Reserve(15, 10, STEP),
          new Entry.Finish(20));

  private SampleLedger() {}

  /** Calls the method that writes this entry. */
  static void write(Ledger ledger, Entry entry) {
    entry.accept(
        new Entry.Visitor<Boolean>() {
          @Override
          public Boolean reserve(Entry.Reserve e) {
            ledger.reserve(e.perStep(), e.from(), e.count());
            return true;
          }

          @Override
          public Boolean query(Entry.Query e) {
            ledger.query(e.name(), e.event());
            return true;
          }

          @Override
          public Boolean realized(Entry.RealizedEntry e) {
            ledger.realized(e.step(), e.groups());
            return true;
          }

          @Override
          public Boolean restart(Entry.Restart e) {
            ledger.restart(e.from(), e.reason());
            return true;
          }

          @Override
          public Boolean finish(Entry.Finish e) {
            ledger.finish(e.steps());
            return true;
          }
        });
  }

  /** Returns the bytes of a file with the first entries of the sample. */
  static byte[] bytes(int entries) {
    StringBuilder text = new StringBuilder();
    Line line = Line.of(Chain.start(), EntryJson.write(HEADER));
    text.append(text(line));
    for (Entry entry : ENTRIES.subList(0, entries)) {
      line = Line.of(line.chain(), EntryJson.write(entry));
      text.append(text(line));
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static byte[] bytes() {
    return bytes(ENTRIES.size());
  }

  /** Returns a ledger of these lines, with valid checksums. */
  static byte[] sealed(String... lines) {
    StringBuilder text = new StringBuilder();
    Chain chain = Chain.start();
    for (String json : lines) {
      Line line = Line.of(chain, json);
      chain = line.chain();
      text.append(text(line));
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static LedgerContents read(byte[] bytes) {
    return read(bytes, Head.NONE);
  }

  static LedgerContents read(byte[] bytes, Head known) {
    return LedgerScan.read(storage(bytes), PATH, List.of(known));
  }

  static LedgerScan resume(byte[] bytes) {
    return LedgerScan.forResuming(storage(bytes), PATH, Head.NONE);
  }

  private static MemoryStorage storage(byte[] bytes) {
    MemoryStorage storage = new MemoryStorage();
    storage.append(bytes);
    return storage;
  }

  private static String text(Line line) {
    return new String(line.bytes(), StandardCharsets.UTF_8);
  }
}
