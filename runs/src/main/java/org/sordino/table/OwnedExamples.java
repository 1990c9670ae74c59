package org.sordino.table;

import java.util.List;
import org.sordino.training.Examples;

/**
 * Examples, and whose each of them is.
 *
 * @param examples the rows
 * @param users one per row, never blank; none at all where nobody asked
 */
public record OwnedExamples(Examples examples, List<String> users) {

  public OwnedExamples {
    users = List.copyOf(users);
  }
}
