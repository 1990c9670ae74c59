package org.sordino.training;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.crypto.Mac;
import org.sordino.random.RandomKey;

/** A keyed digest (HMAC-SHA-256). Without the key, it reveals nothing about its input. */
public final class Fingerprint {

  private static final int CHUNK = 1 << 13;

  private final Mac mac;

  private Fingerprint(Mac mac) {
    this.mac = mac;
  }

  /** Creates an empty fingerprint. */
  public static Fingerprint of(RandomKey key) {
    return new Fingerprint(key.hmac());
  }

  /** Adds text in UTF-8. */
  public Fingerprint add(String text) {
    return add(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Adds bytes, preceded by their length so that different sequences of inputs are encoded
   * differently.
   */
  public Fingerprint add(byte[] bytes) {
    length(bytes.length);
    mac.update(bytes);
    return this;
  }

  /** Adds numbers bit for bit, preceded by their count. */
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

  /** Returns the digest, which has 32 bytes. */
  public byte[] digest() {
    return mac.doFinal();
  }
}
