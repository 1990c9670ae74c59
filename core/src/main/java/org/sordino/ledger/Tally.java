package org.sordino.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.PrivacyEvent;

/**
 * Adds up what a ledger accounts for: every query and every reservation, except what the last
 * attempt of a finished run reserved and did not use.
 */
final class Tally implements Entry.Visitor<Boolean> {

  private final Map<PrivacyEvent, Long> counts = new LinkedHashMap<>();

  /** The reservations of the current attempt, which its end may still shorten. */
  private final List<Entry.Reserve> attempt = new ArrayList<>();

  private Tally() {}

  static PrivacyEvent of(List<Entry> entries) {
    Tally tally = new Tally();
    entries.forEach(entry -> entry.accept(tally));
    tally.settle(Long.MAX_VALUE);
    List<PrivacyEvent> events = new ArrayList<>();
    tally.counts.forEach((event, count) -> events.add(event.times(count)));
    return events.size() == 1 ? events.get(0) : new PrivacyEvent.Composition(events);
  }

  @Override
  public Boolean reserve(Entry.Reserve entry) {
    return attempt.add(entry);
  }

  @Override
  public Boolean query(Entry.Query entry) {
    add(entry.event(), 1);
    return true;
  }

  @Override
  public Boolean realised(Entry.RealisedEntry entry) {
    return true;
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

  /** Counts the current attempt as far as {@code end}, and begins another. */
  private void settle(long end) {
    for (Entry.Reserve entry : attempt) {
      add(entry.perStep(), Math.min(entry.end(), end) - entry.from());
    }
    attempt.clear();
  }

  /** Takes repetitions and compositions apart, so that equal parts are merged. */
  private void add(PrivacyEvent event, long times) {
    if (times <= 0) {
      return;
    }
    if (event instanceof PrivacyEvent.Repeated repeated) {
      add(repeated.event(), Math.multiplyExact(times, repeated.count()));
    } else if (event instanceof PrivacyEvent.Composition composition) {
      composition.events().forEach(part -> add(part, times));
    } else {
      counts.merge(event, times, Math::addExact);
    }
  }
}
