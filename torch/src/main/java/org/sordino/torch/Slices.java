package org.sordino.torch;

/** Who goes through long arrays, slice by slice. */
interface Slices {

  /** The thread that asks. */
  Slices ALONE = (length, body) -> body.run(0, length);

  /** What to do with the numbers from {@code from} to before {@code to}. */
  interface Body {
    void run(int from, int to);
  }

  /** Does it with all numbers below {@code length}. */
  void forEach(int length, Body body);
}
