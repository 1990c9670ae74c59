package org.sordino.sampling;

import java.util.function.LongConsumer;
import org.sordino.random.RandomKey;

/** Which records take part in one step. */
public final class PoissonSample implements java.io.Serializable {

  private static final long serialVersionUID = 1;

  private PoissonSample() {}

  public static PoissonSample of(RandomKey key, long step, double rate) {
    throw new UnsupportedOperationException();
  }

  public void forEach(long from, long to, LongConsumer action) {
    throw new UnsupportedOperationException();
  }

  public long[] indices(long from, long to) {
    throw new UnsupportedOperationException();
  }
}
