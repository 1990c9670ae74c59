package org.sordino.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.sordino.table.OwnedExamples;
import org.sordino.table.TableException;
import org.sordino.training.Examples;

/**
 * The records of a part of a table, or a problem with it. A problem is a value, not an exception,
 * because Spark writes exceptions to its event log, and the message may contain a field of a
 * record.
 */
final class Encoded implements Serializable {

  private static final long serialVersionUID = 1;

  private final Examples examples;
  private final String[] users;
  private final String problem;

  private Encoded(OwnedExamples owned, String problem) {
    this.examples = owned.examples();
    this.users = owned.users().toArray(new String[0]);
    this.problem = problem;
  }

  static Iterator<Encoded> of(int width, Supplier<OwnedExamples> reader) {
    try {
      return List.of(new Encoded(reader.get(), "")).iterator();
    } catch (TableException e) {
      OwnedExamples nothing = new OwnedExamples(Examples.none(width), List.of());
      return List.of(new Encoded(nothing, String.valueOf(e.getMessage()))).iterator();
    }
  }

  /** Returns the records; empty if there is a problem. */
  Examples examples() {
    return examples;
  }

  /** Returns the user of an example, if users were read. */
  String user(int example) {
    return users[example];
  }

  /** Returns the problem to report in the driver; empty if there is none. */
  String problem() {
    return problem;
  }
}
