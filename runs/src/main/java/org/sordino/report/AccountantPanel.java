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

/** The accountants that are shown side by side, the one that counts first. */
public final class AccountantPanel {

  private AccountantPanel() {}

  /**
   * An accountant and how it is presented.
   *
   * @param accountant who answers
   * @param method what it does, in a few words
   * @param look how its line is drawn
   * @param color the color of its line
   */
  public record Member(Accountant accountant, String method, Figure.Look look, int color) {

    public String name() {
      return accountant.name();
    }

    /** Whether the accountant speaks about the run's relation and can price its events. */
    public boolean answers(AccountedRun accounted) {
      return accountant.neighboring() == accounted.neighboring()
          && accountant.supports(accounted.event());
    }

    private Member forGroups(int records) {
      return new Member(GroupPrivacy.of(accountant, records), method, look, color);
    }

    /** What kind of statement the number is. */
    public String kind() {
      return switch (accountant.evidence()) {
        case BOUND -> look == Figure.Look.GUARANTEE ? "guarantee" : "upper bound";
        case APPROXIMATION -> "approximation";
        case NOT_A_BOUND -> "not a bound";
      };
    }

    /** The name in a figure: whoever looks only at the lines must see which of them count. */
    public String label() {
      return accountant.evidence() == Accountant.Evidence.BOUND ? name() : name() + ", " + kind();
    }
  }

  /** All that have an answer for the run. */
  public static List<Member> of(AccountedRun accounted) {
    return all(accounted).stream().filter(member -> member.answers(accounted)).toList();
  }

  /** The names of those that have none. */
  public static List<String> silent(AccountedRun accounted) {
    return all(accounted).stream()
        .filter(member -> !member.answers(accounted))
        .map(Member::name)
        .toList();
  }

  /** All there are, for groups of records where that is asked. */
  public static List<Member> all(AccountedRun accounted) {
    return all(accounted.neighboring()).stream()
        .map(member -> member.forGroups(accounted.records()))
        .toList();
  }

  /** All there are, for single records. */
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
        bound(NaiveComposition.of(relation), "costs of all steps added up", 4),
        unproven(AsPrinted.strong(), "strong composition as printed in 2016", 3),
        unproven(GdpAccountant.of(relation), "central limit theorem", 5));
  }

  /** The note's closed formula; shown only where noise is compared. */
  public static Member naiveFormula() {
    return unproven(AsPrinted.naive(), "costs added up, as printed in a note", 4);
  }

  private static Member bound(Accountant accountant, String method, int color) {
    return new Member(accountant, method, Figure.Look.BOUND, color);
  }

  private static Member unproven(Accountant accountant, String method, int color) {
    return new Member(accountant, method, Figure.Look.UNPROVEN, color);
  }
}
