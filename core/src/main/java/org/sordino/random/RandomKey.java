package org.sordino.random;

/** The secret from which all coins of a run come. */
public final class RandomKey implements java.io.Serializable {

  private static final long serialVersionUID = 1;

  private RandomKey() {}

  public static RandomKey secure() {
    throw new UnsupportedOperationException();
  }

  public static RandomKey insecure(long seed) {
    throw new UnsupportedOperationException();
  }

  public static RandomKey of(byte[] bytes) {
    throw new UnsupportedOperationException();
  }

  public byte[] bytes() {
    throw new UnsupportedOperationException();
  }

  public boolean isInsecure() {
    throw new UnsupportedOperationException();
  }

  public RandomKey derive(String purpose) {
    throw new UnsupportedOperationException();
  }

  public RandomStream stream(long step, long block) {
    throw new UnsupportedOperationException();
  }
}
