package org.sordino.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.LedgerContents.Part;

/**
 * Interprets the entries of a ledger: every query and every reservation counts, except steps that
 * the last attempt of a finished run reserved but did not use. If the recorded bounds and noise of
 * a step imply a smaller noise multiplier than the reservation, the smaller one counts; see {@link
 * RealizedNoise}.
 */
final class LedgerParts implements Entry.Visitor<Boolean> {

  private final List<Part> parts = new ArrayList<>();

  /** The reservations of the current attempt, which {@link Entry.Finish} may still shorten. */
  private final List<Entry.Reserve> attempt = new ArrayList<>();

  /** The recorded bounds and noise of the current attempt, in the order of the file. */
  private final List<Entry.RealizedEntry> recorded = new ArrayList<>();

  private LedgerParts() {}

  static List<Part> of(List<Entry> entries) {
    LedgerParts reader = new LedgerParts();
    entries.forEach(entry -> entry.accept(reader));
    reader.settle(Long.MAX_VALUE);
    return List.copyOf(reader.parts);
  }

  /** Returns the noise of the steps that follow the last recorded ones in the last attempt. */
  static RealizedNoise last(List<Entry> entries) {
    LedgerParts reader = new LedgerParts();
    entries.forEach(entry -> entry.accept(reader));
    NavigableMap<Long, RealizedNoise> noise = RealizedSteps.of(reader.recorded);
    return noise.isEmpty() ? RealizedNoise.UNKNOWN : noise.lastEntry().getValue();
  }

  /**
   * Composes the parts into one event. Equal events are merged, in the order of their first
   * occurrence.
   */
  static PrivacyEvent compose(List<Part> parts) {
    Map<PrivacyEvent, Long> counts = new LinkedHashMap<>();
    parts.forEach(part -> count(part.event(), part.times(), counts));
    List<PrivacyEvent> events = new ArrayList<>();
    counts.forEach((event, count) -> events.add(event.times(count)));
    return events.size() == 1 ? events.get(0) : new PrivacyEvent.Composition(events);
  }

  /** Expands repetitions and compositions, so that equal events inside them are merged. */
  private static void count(PrivacyEvent event, long times, Map<PrivacyEvent, Long> counts) {
    if (times == 0) {
      return;
    }
    if (event instanceof PrivacyEvent.Repeated repeated) {
      count(repeated.event(), Math.multiplyExact(times, repeated.count()), counts);
    } else if (event instanceof PrivacyEvent.Composition composition) {
      composition.events().forEach(inner -> count(inner, times, counts));
    } else {
      counts.merge(event, times, Math::addExact);
    }
  }

  @Override
  public Boolean reserve(Entry.Reserve entry) {
    return attempt.add(entry);
  }

  @Override
  public Boolean query(Entry.Query entry) {
    return parts.add(new Part(entry.event(), 0));
  }

  @Override
  public Boolean realized(Entry.RealizedEntry entry) {
    return recorded.add(entry);
  }

  @Override
  public Boolean restart(Entry.Restart entry) {
    settle(Long.MAX_VALUE);
    return true;
  }

  @Override
  public Boolean finish(Entry.Finish entry) {
    settle(entry.steps());
    return true;
  }

  /** Adds the steps of the current attempt before {@code end}, and begins another attempt. */
  private void settle(long end) {
    NavigableMap<Long, RealizedNoise> noise = RealizedSteps.of(recorded);
    for (Entry.Reserve entry : attempt) {
      settle(entry, Math.min(entry.end(), end), noise);
    }
    attempt.clear();
    recorded.clear();
  }

  /** Adds the steps of a reservation before {@code end}, split where the noise changes. */
  private void settle(Entry.Reserve entry, long end, NavigableMap<Long, RealizedNoise> noise) {
    long from = entry.from();
    while (from < end) {
      Map.Entry<Long, RealizedNoise> current = noise.floorEntry(from);
      Long change = noise.higherKey(from);
      long to = change == null ? end : Math.min(end, change);
      add(current == null ? entry.perStep() : current.getValue().limit(entry.perStep()), to - from);
      from = to;
    }
  }

  /** Adds steps, to the last part if its event is the same. */
  private void add(PrivacyEvent perStep, long steps) {
    int last = parts.size() - 1;
    if (last >= 0 && parts.get(last).steps() > 0 && parts.get(last).event().equals(perStep)) {
      parts.set(last, new Part(perStep, Math.addExact(parts.get(last).steps(), steps)));
    } else {
      parts.add(new Part(perStep, steps));
    }
  }
}
