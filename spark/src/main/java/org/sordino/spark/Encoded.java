package org.sordino.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.sordino.table.TableException;
import org.sordino.training.Examples;

/**
 * Records of a part of a table, or what is wrong with it. Trouble is a value and not an exception,
 * because Spark writes exceptions to its event log, and a message about a field shows the field.
 */
final class Encoded implements Serializable {

  private static final long serialVersionUID = 1;

  private final Examples examples;
  private final String problem;

  private Encoded(Examples examples, String problem) {
    this.examples = examples;
    this.problem = problem;
  }

  static Iterator<Encoded> of(int width, Supplier<Examples> reader) {
    try {
      return List.of(new Encoded(reader.get(), "")).iterator();
    } catch (TableException e) {
      Examples nothing = Examples.none(width);
      return List.of(new Encoded(nothing, String.valueOf(e.getMessage()))).iterator();
    }
  }

  /** The records; none if there is a problem. */
  Examples examples() {
    return examples;
  }

  /** For the person at the driver, or empty. */
  String problem() {
    return problem;
  }
}
