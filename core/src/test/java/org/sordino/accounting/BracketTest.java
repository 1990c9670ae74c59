package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.accounting.Bracket.Method;

class BracketTest {

  @ParameterizedTest
  @CsvSource({"2,1", "-1,1", "NaN,1", "1,NaN", "NaN,NaN"})
  void bracket_endsOutOfOrder_failsClosed(double lower, double upper) {
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> new Bracket(lower, upper, Method.CONTOUR))
        .withMessageContaining("by CONTOUR");
  }

  @Test
  void width_anyEnds_isTheirDistance() {
    double infinity = Double.POSITIVE_INFINITY;
    assertThat(new Bracket(0, 0, Method.CONTOUR).width()).isZero();
    assertThat(new Bracket(1, 3.5, Method.CONTOUR).width()).isEqualTo(2.5);
    assertThat(new Bracket(1, infinity, Method.CONTOUR).width()).isInfinite();
    assertThat(new Bracket(infinity, infinity, Method.CONTOUR).width()).isZero();
  }

  /**
   * The intersection has the method of the narrower bracket, or of the first one if both are
   * equally wide.
   */
  @Test
  void intersect_overlap_isTheIntersection() {
    Bracket narrow = new Bracket(1, 2, Method.CONTOUR);
    Bracket wide = new Bracket(1.5, 9, Method.LATTICE);
    Bracket both = new Bracket(1.5, 2, Method.CONTOUR);
    assertThat(narrow.intersect(wide)).isEqualTo(both);
    assertThat(wide.intersect(narrow)).isEqualTo(both);
    Bracket same = new Bracket(1, 2, Method.LATTICE);
    assertThat(narrow.intersect(same)).isEqualTo(narrow);
    assertThat(same.intersect(narrow)).isEqualTo(same);
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> narrow.intersect(new Bracket(2.5, 3, Method.LATTICE)));
  }

  /** Both ends are maxima, and the slower method is reported. */
  @Test
  void max_anyTwo_enclosesTheLargerValue() {
    Bracket one = new Bracket(1, 4, Method.CLOSED_FORM);
    Bracket two = new Bracket(2, 3, Method.LATTICE);
    Bracket larger = new Bracket(2, 4, Method.LATTICE);
    assertThat(one.max(two)).isEqualTo(larger);
    assertThat(two.max(one)).isEqualTo(larger);
    assertThat(one.max(one)).isEqualTo(one);
  }
}
