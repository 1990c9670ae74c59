package org.sordino.random;

/** Uniform bits, one after the other. */
public final class RandomStream {

  RandomStream() {}

  public long nextLong() {
    throw new UnsupportedOperationException();
  }

  public double nextDouble() {
    throw new UnsupportedOperationException();
  }
}
