package org.sordino.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.json.Json;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.PrivateQuery;
import org.sordino.training.TrainingPlan;

/**
 * An executed run, accounted from its ledger. Repeated steps that the ledger counts again are
 * charged again, and all reserved steps of an unfinished run are charged.
 *
 * @param ledger verified contents of the ledger
 * @param parts executed parts in order, followed by parts that are charged in addition
 * @param charged number of steps that an unfinished run has not reserved yet but is charged for
 * @param records maximum number of records per person
 */
public record ExecutedRun(
    LedgerContents ledger, List<LedgerContents.Part> parts, long charged, int records)
    implements AccountedRun {

  public ExecutedRun {
    parts = List.copyOf(parts);
  }

  /** Returns the run as recorded in the ledger, without additional charges. */
  public static ExecutedRun of(LedgerContents ledger, int records) {
    return new ExecutedRun(ledger, ledger.parts(), 0, records);
  }

  /**
   * Returns the run as it is charged. An unfinished run is charged for its whole plan, because the
   * person who stopped it has seen released values, and composition does not cover a number of
   * steps that depends on them.
   */
  public static ExecutedRun charged(LedgerContents ledger, TrainingPlan plan) {
    List<LedgerContents.Part> parts = new ArrayList<>(ledger.parts());
    long left = ledger.finished() ? 0 : Math.max(0, plan.privacy().steps() - ledger.reserved());
    if (!ledger.finished()) {
      plan.queries().stream()
          .filter(query -> parts.stream().noneMatch(part -> isQuery(part, query)))
          .forEach(query -> parts.add(new LedgerContents.Part(query.event(), 0)));
    }
    if (left > 0) {
      PrivacyEvent step =
          new PrivacyEvent.SampledGaussian(
              plan.privacy().samplingRate(), plan.privacy().noiseMultiplier());
      parts.add(new LedgerContents.Part(ledger.later(step), left));
    }
    return new ExecutedRun(ledger, parts, left, 1);
  }

  private static boolean isQuery(LedgerContents.Part part, PrivateQuery query) {
    return part.steps() == 0 && part.event().equals(query.event());
  }

  @Override
  public PrivacyEvent event() {
    return parts.equals(ledger.parts()) ? ledger.event() : after(steps());
  }

  @Override
  public PrivacyEvent after(long count) {
    List<PrivacyEvent> events = new ArrayList<>();
    long left = count;
    for (LedgerContents.Part part : parts) {
      if (left == 0 && count < steps()) {
        break;
      }
      events.add(
          part.steps() == 0 ? part.event() : part.event().times(Math.min(left, part.steps())));
      left -= Math.min(left, part.steps());
    }
    return new PrivacyEvent.Composition(events);
  }

  @Override
  public long steps() {
    return parts.stream().mapToLong(LedgerContents.Part::steps).sum();
  }

  @Override
  public Neighboring neighboring() {
    return ledger.header().neighboring();
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
        : "the randomness of this run was " + randomness + ", so the noise can be removed";
  }

  @Override
  public String describe() {
    List<String> texts = new ArrayList<>();
    kinds().forEach((event, count) -> texts.add(describe(event, count)));
    String all = texts.isEmpty() ? "no steps" : String.join(", and ", texts);
    return ledger.finished()
        ? all
        : charged > 0
            ? all + "; the run is not finished and is charged for its whole plan"
            : all + "; the run is not finished and is charged for all reserved steps";
  }

  private String describe(PrivacyEvent event, long count) {
    if (event instanceof PrivacyEvent.SampledGaussian step) {
      return setting(step, count).describe();
    }
    if (event instanceof PrivacyEvent.Gaussian solveFor) {
      return Decimals.grouped(count)
          + (count == 1 ? " private query" : " private queries")
          + " of all records with noise multiplier "
          + Decimals.brief(solveFor.noiseMultiplier());
    }
    return Decimals.grouped(count) + " times " + event.toJson();
  }

  private PlannedRun setting(PrivacyEvent.SampledGaussian step, long count) {
    return new PlannedRun(
        step.samplingRate(), step.noiseMultiplier(), count, neighboring(), records);
  }

  /** Returns the distinct events and the number of times that each was executed. */
  public Map<PrivacyEvent, Long> kinds() {
    Map<PrivacyEvent, Long> kinds = new LinkedHashMap<>();
    parts.forEach(part -> kinds.merge(part.event(), part.times(), Long::sum));
    return kinds;
  }

  /** Returns the run as a planned run if all its steps are of one kind; null otherwise. */
  public @Nullable PlannedRun plain() {
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
      json.put("neighbouring", AccountedRun.spelling(neighboring()));
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
}
