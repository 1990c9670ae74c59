package org.sordino.table;

import java.util.HashSet;
import java.util.List;
import java.util.function.IntFunction;
import org.sordino.training.Records;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The grouping of examples in the memory of this process into records.
 *
 * @param examples number of examples
 * @param users the user of each example; empty without user IDs
 * @param digest computes the digest of an example
 */
public record RecordGrouping(int examples, List<String> users, IntFunction<byte[]> digest) {

  /** Returns the records of a plan. */
  public Records records(TrainingPlan plan) {
    Unit unit = plan.unit();
    return switch (unit.kind()) {
      case EXAMPLE -> Records.examples(examples);
      case MICROBATCH ->
          Records.microbatches(examples, Math.toIntExact(plan.privacy().population()), digest);
      case USER, USER_UPDATE -> Records.users(requireUsers(unit), unit.examples(), digest);
    };
  }

  /** Returns the number of records, which is private unless it was declared. */
  public long count(Unit unit) {
    return switch (unit.kind()) {
      case EXAMPLE -> examples;
      case MICROBATCH -> slots(examples, unit);
      case USER, USER_UPDATE -> new HashSet<>(requireUsers(unit)).size();
    };
  }

  /** Returns the number of microbatches with which each has {@code unit.examples()} on average. */
  public static long slots(long examples, Unit unit) {
    return Math.max(1, (examples + unit.examples() - 1) / unit.examples());
  }

  private List<String> requireUsers(Unit unit) {
    if (users.isEmpty()) {
      throw new TableException(
          "user-level plans need user IDs; add `unit` "
              + (unit.kind() == Unit.Kind.USER ? "user" : "user-update")
              + " and `userColumn`, `userFile` or `simulatedUsers`");
    }
    return users;
  }
}
