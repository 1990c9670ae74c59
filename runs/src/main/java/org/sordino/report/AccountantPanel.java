package org.sordino.report;

import java.util.List;
import org.sordino.Neighboring;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.AsPrinted;
import org.sordino.accounting.GdpAccountant;
import org.sordino.accounting.GroupPrivacy;
import org.sordino.accounting.MomentsAccountant;
import org.sordino.accounting.NaiveComposition;
import org.sordino.accounting.RdpAccountant;
import org.sordino.accounting.StrongComposition;
import org.sordino.accounting.TightAccountant;

/** The accountants whose results are shown together. The first one gives the guarantee. */
public final class AccountantPanel {

  private AccountantPanel() {}

  /**
   * An accountant and its presentation.
   *
   * @param accountant the accountant
   * @param method short description of its method
   * @param look style of its line in figures
   * @param color color of its line in figures
   */
  public record Member(Accountant accountant, String method, Figure.Look look, int color) {

    /** Returns the name of the accountant. */
    public String name() {
      return accountant.name();
    }

    /** Returns whether the accountant supports the run's neighboring relation and events. */
    public boolean answers(AccountedRun accounted) {
      return accountant.neighboring() == accounted.neighboring()
          && accountant.supports(accounted.event());
    }

    private Member forGroups(int records) {
      return new Member(GroupPrivacy.of(accountant, records), method, look, color);
    }

    /** Returns the kind of the accountant's result, such as {@code upper bound}. */
    public String kind() {
      return switch (accountant.evidence()) {
        case BOUND -> look == Figure.Look.GUARANTEE ? "guarantee" : "upper bound";
        case APPROXIMATION -> "approximation";
        case NOT_A_BOUND -> "not a bound";
      };
    }

    /** Returns the name in a figure, which marks results that are not bounds. */
    public String label() {
      return accountant.evidence() == Accountant.Evidence.BOUND ? name() : name() + ", " + kind();
    }
  }

  /** Returns the accountants that support a run. */
  public static List<Member> of(AccountedRun accounted) {
    return all(accounted).stream().filter(member -> member.answers(accounted)).toList();
  }

  /** Returns the names of the accountants that do not support a run. */
  public static List<String> silent(AccountedRun accounted) {
    return all(accounted).stream()
        .filter(member -> !member.answers(accounted))
        .map(Member::name)
        .toList();
  }

  /** Returns all accountants for a run, with group privacy if a person has several records. */
  public static List<Member> all(AccountedRun accounted) {
    return all(accounted.neighboring()).stream()
        .map(member -> member.forGroups(accounted.records()))
        .toList();
  }

  /** Returns all accountants for single records. */
  public static List<Member> all(Neighboring relation) {
    return List.of(
        new Member(
            TightAccountant.of(relation),
            "exact privacy loss, certified upper end",
            Figure.Look.GUARANTEE,
            0),
        bound(RdpAccountant.of(relation), "Renyi divergences, improved conversion", 1),
        bound(MomentsAccountant.of(relation), "moments up to 32, Abadi et al. 2016", 2),
        bound(StrongComposition.of(relation), "strong composition", 3),
        bound(NaiveComposition.of(relation), "sum of the costs of all steps", 4),
        unproven(AsPrinted.strong(), "strong composition as printed in 2016", 3),
        unproven(GdpAccountant.of(relation), "central limit theorem", 5));
  }

  /** Returns the closed formula of a note for naive composition, used only to compare noise. */
  public static Member naiveFormula() {
    return unproven(AsPrinted.naive(), "sum of the costs, as printed in a note", 4);
  }

  private static Member bound(Accountant accountant, String method, int color) {
    return new Member(accountant, method, Figure.Look.BOUND, color);
  }

  private static Member unproven(Accountant accountant, String method, int color) {
    return new Member(accountant, method, Figure.Look.UNPROVEN, color);
  }
}
