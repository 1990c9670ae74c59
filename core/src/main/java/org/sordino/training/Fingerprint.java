package org.sordino.training;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.crypto.Mac;
import org.sordino.random.RandomKey;

/** A keyed digest (HMAC-SHA-256): without the key it tells nothing about what went in. */
public final class Fingerprint {

  private static final int CHUNK = 1 << 13;

  private final Mac mac;

  private Fingerprint(Mac mac) {
    this.mac = mac;
  }

  /** An empty fingerprint. */
  public static Fingerprint of(RandomKey key) {
    return new Fingerprint(key.hmac());
  }

  /** Adds text. */
  public Fingerprint add(String text) {
    return add(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds bytes, and before them how many there are, so that no two sequences look the same. */
  public Fingerprint add(byte[] bytes) {
    length(bytes.length);
    mac.update(bytes);
    return this;
  }

  /** Adds numbers, bit for bit. */
  public Fingerprint add(float[] numbers) {
    length(numbers.length);
    ByteBuffer buffer = ByteBuffer.allocate(Float.BYTES * CHUNK);
    for (int from = 0; from < numbers.length; from += CHUNK) {
      int count = Math.min(CHUNK, numbers.length - from);
      buffer.asFloatBuffer().put(numbers, from, count);
      mac.update(buffer.array(), 0, Float.BYTES * count);
    }
    return this;
  }

  private void length(int length) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
  }

  /** The 32 bytes. */
  public byte[] digest() {
    return mac.doFinal();
  }
}
