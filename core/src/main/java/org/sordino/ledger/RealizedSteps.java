package org.sordino.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Determines which recorded bounds and noise apply to which steps of an attempt. Recorded values
 * apply to their step and to all later ones up to the step of the next line. If the next line is
 * for the same or an earlier step, steps were replayed; how far the run had come is then unknown,
 * and the values apply to all later steps. Where the values of several lines apply, those with the
 * least noise count.
 */
final class RealizedSteps {

  private record Span(long from, long to, RealizedNoise noise) {}

  private RealizedSteps() {}

  /**
   * Returns the noise from each step on, until the step of the next key.
   *
   * @param lines lines of one attempt, in the order of the file
   */
  static NavigableMap<Long, RealizedNoise> of(List<Entry.RealizedEntry> lines) {
    List<Span> spans = new ArrayList<>();
    NavigableMap<Long, RealizedNoise> noise = new TreeMap<>();
    for (int i = 0; i < lines.size(); i++) {
      long from = lines.get(i).step();
      long next = i + 1 < lines.size() ? lines.get(i + 1).step() : Long.MAX_VALUE;
      spans.add(
          new Span(
              from, next > from ? next : Long.MAX_VALUE, RealizedNoise.of(lines.get(i).groups())));
      noise.put(from, RealizedNoise.UNKNOWN);
    }
    // Every span ends where another begins, so the noise changes only at the keys.
    spans.sort(Comparator.comparingLong(Span::from));
    PriorityQueue<Span> open = new PriorityQueue<>(Comparator.comparing(Span::noise));
    int started = 0;
    for (Map.Entry<Long, RealizedNoise> entry : noise.entrySet()) {
      long step = entry.getKey();
      while (started < spans.size() && spans.get(started).from == step) {
        open.add(spans.get(started++));
      }
      while (!open.isEmpty() && open.element().to <= step) {
        open.remove();
      }
      entry.setValue(open.isEmpty() ? RealizedNoise.UNKNOWN : open.element().noise);
    }
    return noise;
  }
}
