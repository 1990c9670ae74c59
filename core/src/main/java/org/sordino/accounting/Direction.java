package org.sordino.accounting;

import java.util.List;
import org.sordino.Neighboring;

/**
 * One of the tests that distinguish two neighboring data sets. Let n_m be the normal density with
 * mean m and standard deviation sigma. In the worst case, and after a rotation, one step releases a
 * number x with density p under the data set that the attacker suspects and r under the other:
 *
 * <pre>
 *   REMOVE   p = (1-q) n_0 + q n_1    r = n_0                   the record is in under p, out under r
 *   ADD      p = n_0                  r = (1-q) n_0 + q n_1     the record is out under p, in under r
 *   REPLACE  p = (1-q) n_0 + q n_1    r = (1-q) n_0 + q n_-1    the record differs; symmetric
 * </pre>
 *
 * The privacy loss is log(p/r) at x drawn from p. The directions are composed separately, and the
 * larger result counts: the worst direction of one step need not be the worst of many steps.
 */
public enum Direction {
  REMOVE,
  ADD,
  REPLACE;

  /** Returns the directions that a neighboring relation must protect against. */
  public static List<Direction> of(Neighboring neighboring) {
    return switch (neighboring) {
      case ADD_OR_REMOVE_ONE -> List.of(REMOVE, ADD);
      case REPLACE_ONE -> List.of(REPLACE);
    };
  }
}
