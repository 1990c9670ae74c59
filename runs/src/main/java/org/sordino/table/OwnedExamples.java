package org.sordino.table;

import java.util.List;
import org.sordino.training.Examples;

/**
 * Examples with the user of each example.
 *
 * @param examples the examples
 * @param users the user of each example, never blank; an empty list without a user column
 */
public record OwnedExamples(Examples examples, List<String> users) {

  public OwnedExamples {
    users = List.copyOf(users);
  }
}
