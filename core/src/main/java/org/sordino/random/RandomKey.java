package org.sordino.random;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret from which all random bits of a run are derived: a 32-byte key for AES-256 in counter
 * mode. Anyone who has it can subtract the noise and see which records were sampled, so it must
 * never appear in a log, a report or a ledger. It is serializable because executors of a cluster
 * draw their part of a sample themselves; the serialized form is the secret itself.
 *
 * <p>Every purpose has a separate key, see {@link #derive}. Every step and every part of a step has
 * a separate stream under that key, see {@link #stream}. No random bits are used twice, and nothing
 * depends on the order in which parts are computed. Immutable and thread-safe.
 */
public final class RandomKey implements Serializable {

  private static final long serialVersionUID = 1;

  private static final int LENGTH = 32;

  private static final String HMAC = "HmacSHA256";

  /** Steps and blocks take 48 bits each of the counter block; the other 32 bits are the counter. */
  private static final long LIMIT = 1L << 48;

  private static final byte[] ZEROS = new byte[RandomStream.LARGEST_BUFFER];

  private final byte[] bytes;
  private final boolean insecure;

  /**
   * Creating a cipher takes as long as drawing thousands of random numbers, so each thread keeps
   * one.
   */
  private final transient ThreadLocal<Cipher> ciphers = ThreadLocal.withInitial(RandomKey::cipher);

  private final transient SecretKeySpec aes;

  private RandomKey(byte[] bytes, boolean insecure) {
    this.bytes = bytes;
    this.insecure = insecure;
    this.aes = new SecretKeySpec(bytes, "AES");
  }

  /** Returns a fresh key from the random number generator of the operating system. */
  public static RandomKey secure() {
    byte[] bytes = new byte[LENGTH];
    new SecureRandom().nextBytes(bytes);
    return new RandomKey(bytes, false);
  }

  /**
   * Returns the same key for the same seed, for tests and experiments that must be repeatable. It
   * provides no privacy: anyone who guesses the seed knows all the noise.
   */
  public static RandomKey insecure(long seed) {
    MessageDigest sha;
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw unavailable(e);
    }
    sha.update("org.sordino insecure seed".getBytes(StandardCharsets.UTF_8));
    return new RandomKey(sha.digest(ByteBuffer.allocate(Long.BYTES).putLong(seed).array()), true);
  }

  /**
   * Returns a key from the stored bytes of a secure key.
   *
   * @param bytes 32 bytes, as returned by {@link #bytes}
   */
  public static RandomKey of(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException(
          "bytes must have length " + LENGTH + ", got " + bytes.length);
    }
    return new RandomKey(bytes.clone(), false);
  }

  /** Returns the secret itself, to be stored where nobody else can read it. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns whether the key is derived from a seed, in which case no privacy may be claimed. */
  public boolean isInsecure() {
    return insecure;
  }

  /**
   * Returns the key for one purpose: HMAC-SHA-256 of the purpose under this key. It reveals nothing
   * about this key or the keys for other purposes, and it is insecure if this key is.
   */
  public RandomKey derive(String purpose) {
    return new RandomKey(hmac(purpose), insecure);
  }

  /** Returns a new HMAC-SHA-256 under this key. Without the key, its result reveals nothing. */
  public Mac hmac() {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(bytes, HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw unavailable(e);
    }
  }

  /**
   * Returns the random bits for one part of one step. Two streams of a key have no counter block in
   * common, unless step and block are equal; then they are the same stream.
   *
   * @param step number of the step, in [0, 2^48)
   * @param block number of the part, in [0, 2^48)
   */
  public RandomStream stream(long step, long block) {
    requireBelowLimit("step", step);
    requireBelowLimit("block", block);
    return new RandomStream(this, step << 16 | block >>> 32, block << 32);
  }

  /** Overwrites {@code out} with the key stream, starting at the counter block high:low. */
  void keystream(long high, long low, byte[] out) {
    byte[] counter = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
    try {
      Cipher cipher = ciphers.get();
      // With an unchanged key this is cheap: the round keys are kept.
      cipher.init(Cipher.ENCRYPT_MODE, aes, new IvParameterSpec(counter));
      cipher.update(ZEROS, 0, out.length, out, 0);
    } catch (GeneralSecurityException e) {
      throw unavailable(e);
    }
  }

  private byte[] hmac(String text) {
    return hmac().doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Cipher cipher() {
    try {
      return Cipher.getInstance("AES/CTR/NoPadding");
    } catch (GeneralSecurityException e) {
      throw unavailable(e);
    }
  }

  private static void requireBelowLimit(String name, long value) {
    if (!(value >= 0 && value < LIMIT)) {
      throw new IllegalArgumentException(name + " must be in [0, 2^48), got " + value);
    }
  }

  private static IllegalStateException unavailable(GeneralSecurityException e) {
    return new IllegalStateException("this Java runtime does not provide AES-256 or SHA-256", e);
  }

  /** Restores the cipher and rejects an invalid key. */
  private Object readResolve() {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException(
          "bytes must have length " + LENGTH + ", got " + bytes.length);
    }
    return new RandomKey(bytes.clone(), insecure);
  }

  /** Compares in constant time, so that the key cannot be found byte by byte. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RandomKey key
        && insecure == key.insecure
        && MessageDigest.isEqual(bytes, key.bytes);
  }

  /** Hashes a derived key, because hash codes end up in dumps and logs. */
  @Override
  public int hashCode() {
    return Arrays.hashCode(hmac("hashCode"));
  }

  /** Returns the kind of key, never the secret. */
  @Override
  public String toString() {
    return insecure ? "RandomKey[insecure]" : "RandomKey[secure]";
  }
}
