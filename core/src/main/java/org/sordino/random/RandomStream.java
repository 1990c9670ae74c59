package org.sordino.random;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A stream of uniform random bits: the key stream of AES-256 in counter mode, read eight bytes at a
 * time in little-endian order. Not thread-safe. A stream is cheap to create. It has at most 2^36
 * bytes, because the next stream begins there; reading further throws.
 */
public final class RandomStream {

  /**
   * Largest buffer in bytes: large enough to make the start-up cost of the cipher negligible, small
   * enough for the first-level cache.
   */
  static final int LARGEST_BUFFER = 8192;

  private static final int SMALLEST_BUFFER = 512;
  private static final int GROWTH = 4;
  private static final int CIPHER_BLOCK = 16;
  private static final long CIPHER_BLOCKS = 1L << 32;

  private final RandomKey key;
  private final long high;
  private final long low;

  /** Number of the next cipher block, the low 32 bits of the counter. */
  private long counter;

  private byte[] buffer = new byte[0];

  /** The buffer as 64-bit numbers, because loops over an array are the fastest. */
  private long[] numbers = new long[0];

  private int position;

  RandomStream(RandomKey key, long high, long low) {
    this.key = key;
    this.high = high;
    this.low = low;
  }

  /** Returns 64 random bits. */
  public long nextLong() {
    if (position == numbers.length) {
      refill();
    }
    return numbers[position++];
  }

  /** Returns the number of buffered numbers, at least one; see {@link #ahead}. */
  public int ready() {
    if (position == numbers.length) {
      refill();
    }
    return numbers.length - position;
  }

  /**
   * Returns the number that follows {@code count} others, without consuming any. Looking ahead over
   * many numbers and then {@linkplain #skip skipping} all of them is faster than reading one by
   * one.
   *
   * @param count position after the next number, below {@link #ready}
   */
  public long ahead(int count) {
    return numbers[position + count];
  }

  /**
   * Skips numbers.
   *
   * @param count how many, at most {@link #ready}
   */
  public void skip(int count) {
    position = Objects.checkIndex(position + count, numbers.length + 1);
  }

  /** Returns one of the 2^53 multiples of 2^-53 in [0, 1), all equally likely. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /**
   * Refills the buffer. It starts small, because many streams yield only a few numbers, and grows.
   */
  private void refill() {
    if (buffer.length < LARGEST_BUFFER) {
      buffer = new byte[Math.max(SMALLEST_BUFFER, GROWTH * buffer.length)];
      numbers = new long[buffer.length / Long.BYTES];
    }
    int blocks = buffer.length / CIPHER_BLOCK;
    if (counter + blocks > CIPHER_BLOCKS) {
      throw new IllegalStateException("a stream must not yield more than 2^36 bytes");
    }
    key.keystream(high, low | counter, buffer);
    ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(numbers);
    counter += blocks;
    position = 0;
  }
}
