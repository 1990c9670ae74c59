package org.sordino.reproduction;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.report.Figure;

/**
 * A published result that can be recomputed. To add one, write a class and list it in {@link #all}.
 */
public interface Reproduction {

  /** Returns all reproductions, in the order of the papers. */
  static List<Reproduction> all() {
    return List.of(
        new CompositionReproduction(),
        new ExtremeReproduction(),
        LinearReproduction.oneFeature(),
        LinearReproduction.twoFeatures(),
        NetworkDecayReproduction.mnistDecay(),
        NetworkDecayReproduction.cifarDecay(),
        NetworkDecayReproduction.noise(),
        new AbadiMnistReproduction(),
        new AbadiCifar10Reproduction(),
        new PumsReproduction(),
        new GroupsReproduction());
  }

  /** Returns the ID, which is the argument of {@code sordino reproduce}. */
  String id();

  /** Returns a one-line title. */
  String title();

  /** Returns whether the result involves no randomness, so that seeds have no effect. */
  default boolean deterministic() {
    return false;
  }

  /** Computes the result. */
  Result run(Effort effort);

  /**
   * The amount of computation.
   *
   * @param quick whether to use fewer points or epochs, for a check that takes seconds
   * @param seeds number of repetitions of randomized computations, with the seeds 1 to this number
   * @param cells cache of finished computations, so that an interrupted run can resume
   */
  record Effort(boolean quick, int seeds, ResultCache cells) {}

  /**
   * The result of a reproduction.
   *
   * @param findings published and measured values
   * @param remarks what the comparison shows, one paragraph each
   * @param figures figures of the page
   * @param data all numbers, for {@code results.json}
   */
  record Result(
      List<Finding> findings,
      List<String> remarks,
      List<Figure> figures,
      Map<String, Object> data) {

    public Result {
      findings = List.copyOf(findings);
      remarks = List.copyOf(remarks);
      figures = List.copyOf(figures);
    }
  }

  /**
   * One row of the comparison.
   *
   * @param claim description of the value
   * @param published value as printed in the paper, or empty
   * @param measured value computed by this program
   * @param verdict whether the two agree, and if not, why
   */
  record Finding(String claim, String published, String measured, String verdict) {

    public List<String> row() {
      return List.of(claim, published, measured, verdict);
    }

    public Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("claim", claim);
      json.put("published", published);
      json.put("measured", measured);
      json.put("verdict", verdict);
      return json;
    }
  }
}
