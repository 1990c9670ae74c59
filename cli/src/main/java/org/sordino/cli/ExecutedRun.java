package org.sordino.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyEvent;
import org.sordino.json.Json;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;

/**
 * What a ledger says was done to the records. Steps that were done again count again, and of a run
 * that is not finished all reserved steps count.
 *
 * @param ledger read and verified
 * @param parts in the order of the ledger
 * @param records how many records one person owns at most
 */
record ExecutedRun(LedgerContents ledger, List<Part> parts, int records) implements AccountedRun {

  /**
   * Steps in a row that did the same, or a solveFor outside the steps.
   *
   * @param event what each of them did
   * @param steps how many they are; 0 for a solveFor, which happened once
   */
  record Part(PrivacyEvent event, long steps) {

    private PrivacyEvent first(long count) {
      return steps == 0 ? event : event.times(Math.min(count, steps));
    }
  }

  ExecutedRun {
    parts = List.copyOf(parts);
  }

  static ExecutedRun of(LedgerContents ledger, int records) {
    Reader reader = new Reader();
    ledger.entries().forEach(entry -> entry.accept(reader));
    reader.settle(Long.MAX_VALUE);
    return new ExecutedRun(ledger, reader.parts, records);
  }

  @Override
  public PrivacyEvent event() {
    return ledger.event();
  }

  @Override
  public PrivacyEvent after(long count) {
    List<PrivacyEvent> events = new ArrayList<>();
    long left = count;
    for (Part part : parts) {
      if (left == 0 && count < steps()) {
        break;
      }
      events.add(part.first(left));
      left -= Math.min(left, part.steps);
    }
    return new PrivacyEvent.Composition(events);
  }

  @Override
  public long steps() {
    return parts.stream().mapToLong(Part::steps).sum();
  }

  @Override
  public Neighbouring neighbouring() {
    return ledger.header().neighbouring();
  }

  @Override
  public String unit() {
    return ledger.header().unit();
  }

  @Override
  public @Nullable String flaw() {
    String randomness = ledger.header().randomness();
    return randomness.equals(Header.SECURE)
        ? null
        : "the randomness of this run was " + randomness + ", so its noise can be taken off again";
  }

  @Override
  public String describe() {
    List<String> texts = new ArrayList<>();
    kinds().forEach((event, count) -> texts.add(describe(event, count)));
    String all = texts.isEmpty() ? "no steps" : String.join(", and ", texts);
    return ledger.finished() ? all : all + "; the run is not finished, and reserved steps count";
  }

  private String describe(PrivacyEvent event, long count) {
    if (event instanceof PrivacyEvent.SampledGaussian step) {
      return setting(step, count).describe();
    }
    if (event instanceof PrivacyEvent.Gaussian solveFor) {
      return Numbers.grouped(count)
          + (count == 1 ? " question" : " questions")
          + " to all records with noise multiplier "
          + Numbers.brief(solveFor.noiseMultiplier());
    }
    return Numbers.grouped(count) + " times " + event.toJson();
  }

  private PlannedRun setting(PrivacyEvent.SampledGaussian step, long count) {
    return new PlannedRun(
        step.samplingRate(), step.noiseMultiplier(), count, neighbouring(), records);
  }

  /** Different events and how often each happened. */
  Map<PrivacyEvent, Long> kinds() {
    Map<PrivacyEvent, Long> kinds = new LinkedHashMap<>();
    parts.forEach(part -> kinds.merge(part.event, Math.max(1, part.steps), Long::sum));
    return kinds;
  }

  /** The one kind of step of a plain run; null if there are others. */
  @Nullable PlannedRun plain() {
    Map<PrivacyEvent, Long> kinds = kinds();
    return kinds.size() == 1
            && kinds.keySet().iterator().next() instanceof PrivacyEvent.SampledGaussian step
        ? setting(step, steps())
        : null;
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    PlannedRun plain = plain();
    if (plain != null) {
      json.putAll(plain.json());
    } else {
      json.put("steps", steps());
      json.put("neighbouring", AccountedRun.spelling(neighbouring()));
      json.put("records", records);
    }
    json.put("unit", unit());
    json.put("protects", relation());
    json.put("event", Json.readObject(event().toJson()));
    json.put("run", ledger.header().run());
    json.put("finished", ledger.finished());
    json.put("randomness", ledger.header().randomness());
    json.put("ledgerLines", ledger.head().lines());
    json.put("ledgerChain", ledger.head().chain());
    return json;
  }

  /** Turns entries into parts; the end of a run gives back what its last attempt did not use. */
  private static final class Reader implements Entry.Visitor<Boolean> {

    private final List<Part> parts = new ArrayList<>();
    private final List<Entry.Reserve> attempt = new ArrayList<>();

    @Override
    public Boolean reserve(Entry.Reserve entry) {
      return attempt.add(entry);
    }

    @Override
    public Boolean query(Entry.Query entry) {
      return parts.add(new Part(entry.event(), 0));
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

    private void settle(long end) {
      for (Entry.Reserve entry : attempt) {
        add(entry.perStep(), Math.min(entry.end(), end) - entry.from());
      }
      attempt.clear();
    }

    private void add(PrivacyEvent event, long steps) {
      Part last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
      if (steps > 0 && last != null && last.steps > 0 && last.event.equals(event)) {
        parts.set(parts.size() - 1, new Part(event, last.steps + steps));
      } else if (steps > 0) {
        parts.add(new Part(event, steps));
      }
    }
  }
}
