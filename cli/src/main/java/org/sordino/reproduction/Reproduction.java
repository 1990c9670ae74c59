package org.sordino.reproduction;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.report.Figure;

/** One published claim, computed again. To add one, write a class and list it in {@link #all}. */
public interface Reproduction {

  /** All reproductions, in the order of the papers. */
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

  /** What is typed after {@code sordino reproduce}. */
  String id();

  /** What is reproduced, in one line. */
  String title();

  /** Whether there is no chance in it, so that seeds change nothing. */
  default boolean deterministic() {
    return false;
  }

  /** Does the work. */
  Result run(Effort effort);

  /**
   * How much to do.
   *
   * @param quick with fewer points or epochs, to see within seconds that all works
   * @param seeds how often whatever depends on chance is repeated, with seeds 1 to this
   * @param cells keeps what was computed, for a run that goes on after an interruption
   */
  record Effort(boolean quick, int seeds, ResultCache cells) {}

  /**
   * What came out.
   *
   * @param findings what was published and what was measured
   * @param remarks what the comparison shows, a paragraph each
   * @param figures drawn on the page
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
   * @param claim what the number is
   * @param published as printed, or empty
   * @param measured what this program computes
   * @param verdict whether they agree, and if not, why
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
