package org.sordino.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.sordino.table.OwnedExamples;
import org.sordino.table.TableException;
import org.sordino.training.Examples;

/**
 * Records of a part of a table, or what is wrong with it. Trouble is a value and not an exception,
 * because Spark writes exceptions to its event log, and a message about a field shows the field.
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

  /** The records; none if there is a problem. */
  Examples examples() {
    return examples;
  }

  /** Whose an example is, where somebody asked. */
  String user(int example) {
    return users[example];
  }

  /** For the person at the driver, or empty. */
  String problem() {
    return problem;
  }
}
