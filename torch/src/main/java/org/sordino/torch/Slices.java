package org.sordino.torch;

/** Processes long arrays slice by slice. */
interface Slices {

  /** Processes the whole array on the calling thread. */
  Slices ALONE = (length, body) -> body.run(0, length);

  /** Processes the elements from {@code from}, inclusive, to {@code to}, exclusive. */
  interface Body {
    void run(int from, int to);
  }

  /** Applies the body to all elements below {@code length}. */
  void forEach(int length, Body body);
}
