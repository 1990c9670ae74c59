package org.sordino.random;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Uniform bits, one after the other: the key stream of AES-256 in counter mode, eight bytes at a
 * time, the first one lowest. For one thread at a time. A stream is cheap to make; just before 2^36
 * bytes, where the next one begins, it refuses to go on.
 */
public final class RandomStream {

  /** Large enough that starting the cipher does not matter, small enough for the first cache. */
  static final int LARGEST_BUFFER = 8192;

  private static final int SMALLEST_BUFFER = 512;
  private static final int GROWTH = 4;
  private static final int CIPHER_BLOCK = 16;
  private static final long CIPHER_BLOCKS = 1L << 32;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final RandomKey key;
  private final long high;
  private final long low;

  /** The number of the next block of the cipher, the low 32 bits of the counter. */
  private long counter;

  private byte[] buffer = new byte[0];
  private int position;

  RandomStream(RandomKey key, long high, long low) {
    this.key = key;
    this.high = high;
    this.low = low;
  }

  /** 64 random bits. */
  public long nextLong() {
    if (position == buffer.length) {
      refill();
    }
    long bits = (long) LONGS.get(buffer, position);
    position += Long.BYTES;
    return bits;
  }

  /** One of the 2^53 multiples of 2^-53 in [0, 1), all equally likely. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /** Starts small, because many streams give only a few numbers, and grows. */
  private void refill() {
    if (buffer.length < LARGEST_BUFFER) {
      buffer = new byte[Math.max(SMALLEST_BUFFER, GROWTH * buffer.length)];
    }
    int blocks = buffer.length / CIPHER_BLOCK;
    if (counter + blocks > CIPHER_BLOCKS) {
      throw new IllegalStateException("a stream must not give more than 2^36 bytes");
    }
    key.keystream(high, low | counter, buffer);
    counter += blocks;
    position = 0;
  }
}
