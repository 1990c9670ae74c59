package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.sordino.PrivacyEvent;

/** Compares the privacy event of a ledger with a step-by-step count. */
class LedgerEventTest {

  private static final List<PrivacyEvent> EVENTS =
      List.of(
          new PrivacyEvent.SampledGaussian(0.01, 4),
          new PrivacyEvent.SampledGaussian(0.01, 3),
          new PrivacyEvent.Gaussian(4),
          new PrivacyEvent.SampledGaussian(0.01, 4).times(2),
          new PrivacyEvent.Gaussian(4).times(0),
          new PrivacyEvent.Composition(
              List.of(new PrivacyEvent.Gaussian(4), new PrivacyEvent.Gaussian(4).times(3))));

  /** The events of every query and of the steps of ended attempts, one by one. */
  private final List<PrivacyEvent> settled = new ArrayList<>();

  private final List<PrivacyEvent> attempt = new ArrayList<>();
  private long start;

  @RepeatedTest(200)
  void event_randomCalls_isTheSumOfWhatCounts(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    try (Ledger ledger = Ledger.inMemory(SampleLedger.HEADER)) {
      int calls = random.nextInt(30);
      for (int i = 0; i < calls; i++) {
        call(ledger, random);
        compare(ledger.contents());
      }
      if (random.nextBoolean()) {
        int kept = random.nextInt(attempt.size() + 1);
        ledger.finish(start + kept);
        attempt.subList(kept, attempt.size()).clear();
        compare(ledger.contents());
        assertThat(ledger.contents().finished()).isTrue();
      }
    }
  }

  private void call(Ledger ledger, Random random) {
    PrivacyEvent event = EVENTS.get(random.nextInt(EVENTS.size()));
    switch (random.nextInt(6)) {
      case 0 -> {
        ledger.query("query", event);
        settled.add(event);
      }
      case 1 -> {
        long from = random.nextInt((int) (start + attempt.size()) + 1);
        ledger.restart(from, "restart");
        settled.addAll(attempt);
        attempt.clear();
        start = from;
      }
      default -> {
        int count = random.nextInt(20);
        ledger.reserve(event, start + attempt.size(), count);
        for (int i = 0; i < count; i++) {
          attempt.add(event);
        }
      }
    }
  }

  private void compare(LedgerContents contents) {
    compareParts(contents.parts());
    Map<PrivacyEvent, Long> expected = new LinkedHashMap<>();
    settled.forEach(event -> count(event, 1, expected));
    attempt.forEach(event -> count(event, 1, expected));
    assertThat(contents.event()).isEqualTo(composed(expected));
    Map<PrivacyEvent, Long> actual = new HashMap<>();
    count(contents.event(), 1, actual);
    assertThat(actual).isEqualTo(expected);
    assertThat(contents.steps()).isEqualTo(start + attempt.size());
    assertMerged(contents.event(), expected.size());
  }

  /**
   * Checks that the parts are the expected events, and that no two consecutive parts could be
   * merged.
   */
  private void compareParts(List<LedgerContents.Part> parts) {
    List<PrivacyEvent> expected = new ArrayList<>(settled);
    expected.addAll(attempt);
    List<PrivacyEvent> actual = new ArrayList<>();
    parts.forEach(part -> actual.addAll(Collections.nCopies((int) part.times(), part.event())));
    assertThat(actual).isEqualTo(expected);
    for (int i = 1; i < parts.size(); i++) {
      LedgerContents.Part last = parts.get(i - 1);
      LedgerContents.Part next = parts.get(i);
      assertThat(last.steps() > 0 && next.steps() > 0 && last.event().equals(next.event()))
          .isFalse();
    }
  }

  /** Merges equal events, in the order of their first occurrence. */
  private static PrivacyEvent composed(Map<PrivacyEvent, Long> counts) {
    List<PrivacyEvent> events = new ArrayList<>();
    counts.forEach((event, count) -> events.add(event.times(count)));
    return events.size() == 1 ? events.get(0) : new PrivacyEvent.Composition(events);
  }

  /** A query appears at its position, the steps of an attempt at the end of the attempt. */
  @Test
  void parts_ofTheSample_areQueriesAndMergedSteps() {
    LedgerContents sample = SampleLedger.read(SampleLedger.bytes());
    assertThat(sample.parts())
        .containsExactly(
            new LedgerContents.Part(
                new PrivacyEvent.Composition(List.of(SampleLedger.MEAN, SampleLedger.STEP)), 0),
            // 1 / z^2 = (1 / 4)^2 + (0.001 / 0.1)^2, so the steps had less noise than was reserved.
            new LedgerContents.Part(new PrivacyEvent.SampledGaussian(0.01, 3.9968038348871575), 10),
            new LedgerContents.Part(SampleLedger.LATER_STEP.times(2), 1),
            new LedgerContents.Part(new PrivacyEvent.SampledGaussian(0.01, 0).times(2), 9),
            new LedgerContents.Part(SampleLedger.STEP, 5));
  }

  @Test
  void parts_ofConsecutiveReservations_areMerged_butNotAcrossAQuery() {
    PrivacyEvent step = EVENTS.get(0);
    try (Ledger ledger = Ledger.inMemory(SampleLedger.HEADER)) {
      assertThat(ledger.contents().parts()).isEmpty();
      ledger.reserve(step, 0, 10);
      ledger.query("first", step);
      ledger.reserve(step, 10, 10);
      ledger.restart(15, "restart");
      ledger.reserve(step, 15, 10);
      ledger.query("second", step);
      LedgerContents.Part query = new LedgerContents.Part(step, 0);
      assertThat(ledger.contents().parts())
          .containsExactly(
              query, new LedgerContents.Part(step, 20), query, new LedgerContents.Part(step, 10));
      ledger.finish(15);
      assertThat(ledger.contents().parts())
          .containsExactly(query, new LedgerContents.Part(step, 20), query);
      assertThat(ledger.contents().event()).isEqualTo(step.times(22));
    }
  }

  private static void assertMerged(PrivacyEvent event, int kinds) {
    List<PrivacyEvent> parts =
        event instanceof PrivacyEvent.Composition composition
            ? composition.events()
            : List.of(event);
    assertThat(parts).hasSize(kinds).allMatch(PrivacyEvent.Repeated.class::isInstance);
  }

  private static void count(PrivacyEvent event, long times, Map<PrivacyEvent, Long> counts) {
    if (event instanceof PrivacyEvent.Repeated repeated) {
      if (repeated.count() > 0) {
        count(repeated.event(), times * repeated.count(), counts);
      }
    } else if (event instanceof PrivacyEvent.Composition composition) {
      composition.events().forEach(part -> count(part, times, counts));
    } else {
      counts.merge(event, times, Long::sum);
    }
  }
}
