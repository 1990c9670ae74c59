package org.sordino.table;

import java.util.HashSet;
import java.util.List;
import java.util.function.IntFunction;
import org.sordino.training.Records;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * How examples in the memory of this process become records.
 *
 * @param examples how many there are
 * @param users whose each of them is; empty where nobody asked
 * @param digest of an example
 */
public record RecordGrouping(int examples, List<String> users, IntFunction<byte[]> digest) {

  /** The records of a plan. */
  public Records records(TrainingPlan plan) {
    Unit unit = plan.unit();
    return switch (unit.kind()) {
      case EXAMPLE -> Records.examples(examples);
      case MICROBATCH ->
          Records.microbatches(examples, Math.toIntExact(plan.privacy().population()), digest);
      case USER, USER_UPDATE -> Records.users(requireUsers(unit), unit.examples(), digest);
    };
  }

  /** How many records there are; private unless it was declared. */
  public long count(Unit unit) {
    return switch (unit.kind()) {
      case EXAMPLE -> examples;
      case MICROBATCH -> slots(examples, unit);
      case USER, USER_UPDATE -> new HashSet<>(requireUsers(unit)).size();
    };
  }

  /** So many that each has as many examples as the plan says, on average. */
  public static long slots(long examples, Unit unit) {
    return Math.max(1, (examples + unit.examples() - 1) / unit.examples());
  }

  private List<String> requireUsers(Unit unit) {
    if (users.isEmpty()) {
      throw new TableException(
          "a plan about users needs to know whose the examples are; give `unit` "
              + (unit.kind() == Unit.Kind.USER ? "user" : "user-update")
              + " and `userColumn`, `userFile` or `simulatedUsers`");
    }
    return users;
  }
}
