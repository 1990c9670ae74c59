package org.sordino.random;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

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

  private final RandomKey key;
  private final long high;
  private final long low;

  /** The number of the next block of the cipher, the low 32 bits of the counter. */
  private long counter;

  private byte[] buffer = new byte[0];

  /** The buffer as numbers: loops over an array of them are the fastest there are. */
  private long[] numbers = new long[0];

  private int position;

  RandomStream(RandomKey key, long high, long low) {
    this.key = key;
    this.high = high;
    this.low = low;
  }

  /** 64 random bits. */
  public long nextLong() {
    if (position == numbers.length) {
      refill();
    }
    return numbers[position++];
  }

  /** How many numbers lie ready, at least one; see {@link #ahead}. */
  public int ready() {
    if (position == numbers.length) {
      refill();
    }
    return numbers.length - position;
  }

  /**
   * The number that comes after {@code count} others, which stays where it is: whoever looks ahead
   * over many and then {@linkplain #skip skips} them together is faster than number by number.
   *
   * @param count below {@link #ready}
   */
  public long ahead(int count) {
    return numbers[position + count];
  }

  /**
   * Leaves out numbers.
   *
   * @param count at most {@link #ready}
   */
  public void skip(int count) {
    position = Objects.checkIndex(position + count, numbers.length + 1);
  }

  /** One of the 2^53 multiples of 2^-53 in [0, 1), all equally likely. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /** Starts small, because many streams give only a few numbers, and grows. */
  private void refill() {
    if (buffer.length < LARGEST_BUFFER) {
      buffer = new byte[Math.max(SMALLEST_BUFFER, GROWTH * buffer.length)];
      numbers = new long[buffer.length / Long.BYTES];
    }
    int blocks = buffer.length / CIPHER_BLOCK;
    if (counter + blocks > CIPHER_BLOCKS) {
      throw new IllegalStateException("a stream must not give more than 2^36 bytes");
    }
    key.keystream(high, low | counter, buffer);
    ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(numbers);
    counter += blocks;
    position = 0;
  }
}
