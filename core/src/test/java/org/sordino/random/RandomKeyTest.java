package org.sordino.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RandomKeyTest {

  private static final long LARGEST = (1L << 48) - 1;

  private final RandomKey key = RandomKey.insecure(1);

  /** NIST SP 800-38A, F.5.5: the key stream is plaintext xor ciphertext, from the same counter. */
  @Test
  void keystream_publishedVector_isReproduced() {
    HexFormat hex = HexFormat.of();
    RandomKey published =
        RandomKey.of(
            hex.parseHex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"));
    byte[] stream = new byte[32];
    published.keystream(0xf0f1f2f3f4f5f6f7L, 0xf8f9fafbfcfdfeffL, stream);
    byte[] cipherText =
        hex.parseHex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5");
    for (int i = 0; i < stream.length; i++) {
      stream[i] ^= cipherText[i];
    }
    assertThat(hex.formatHex(stream))
        .isEqualTo("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  }

  /** Encrypts the counter blocks one by one, for all sizes of the buffer. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 2", "281474976710655, 281474976710655", "123456789012, 4294967296"})
  void stream_anyStepAndBlock_isEncryptedCounters(long step, long block) throws Exception {
    Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
    aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key.bytes(), "AES"));
    RandomStream stream = key.stream(step, block);
    for (int counter = 0; counter < 2000; counter++) {
      ByteBuffer input = ByteBuffer.allocate(16);
      input.putShort((short) (step >>> 32)).putInt((int) step);
      input.putShort((short) (block >>> 32)).putInt((int) block).putInt(counter);
      ByteBuffer output =
          ByteBuffer.wrap(aes.doFinal(input.array())).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(stream.nextLong()).isEqualTo(output.getLong());
      assertThat(stream.nextLong()).isEqualTo(output.getLong());
    }
  }

  /**
   * Stored runs are replayed, so the values of a seed must never change. They were computed with
   * Python's hashlib and hmac and {@code openssl enc -aes-256-ctr}.
   */
  @Test
  void insecure_seedOne_neverChanges() {
    assertThat(key.stream(0, 0).nextLong()).isEqualTo(-6633268584944157119L);
    assertThat(key.derive("noise").stream(3, 4).nextLong()).isEqualTo(-4008200561151494628L);
  }

  @Test
  void nextDouble_manyTimes_isInUnitIntervalWith53Bits() {
    RandomStream stream = key.stream(0, 0);
    RandomStream same = key.stream(0, 0);
    for (int i = 0; i < 10_000; i++) {
      double value = stream.nextDouble();
      assertThat(value).isBetween(0.0, Math.nextDown(1.0));
      assertThat((long) (value * 0x1p53)).isEqualTo(same.nextLong() >>> 11);
    }
  }

  @Test
  void stream_twoAtOnce_areIndependent() {
    RandomStream first = key.stream(7, 0);
    RandomStream second = key.derive("other").stream(7, 0);
    long[] mixed = new long[4000];
    for (int i = 0; i < mixed.length; i += 2) {
      mixed[i] = first.nextLong();
      mixed[i + 1] = second.nextLong();
    }
    RandomStream firstAgain = key.stream(7, 0);
    RandomStream secondAgain = key.derive("other").stream(7, 0);
    for (int i = 0; i < mixed.length; i += 2) {
      assertThat(mixed[i]).isEqualTo(firstAgain.nextLong());
      assertThat(mixed[i + 1]).isEqualTo(secondAgain.nextLong());
    }
  }

  @Test
  void stream_onManyThreads_isTheSame() {
    long[] parallel = IntStream.range(0, 2000).parallel().mapToLong(this::sumOfStream).toArray();
    long[] sequential = IntStream.range(0, 2000).mapToLong(this::sumOfStream).toArray();
    assertThat(parallel).isEqualTo(sequential);
  }

  private long sumOfStream(int step) {
    RandomStream stream = key.stream(step, 0);
    return LongStream.generate(stream::nextLong).limit(500).sum();
  }

  /** 6,000 numbers of 64 bits: two are equal with a probability of 1e-12. */
  @Test
  void stream_otherStepBlockKeyOrPurpose_sharesNothing() {
    LongStream.Builder all = LongStream.builder();
    RandomStream[] streams = {
      key.stream(0, 0),
      key.stream(0, 1),
      key.stream(1, 0),
      key.stream(0, 1L << 32),
      key.stream(1L << 32, 0),
      key.stream(LARGEST, LARGEST),
      RandomKey.insecure(2).stream(0, 0),
      key.derive("a").stream(0, 0),
      key.derive("b").stream(0, 0),
      key.derive("a").derive("b").stream(0, 0),
      key.derive("ab").stream(0, 0),
      RandomKey.secure().stream(0, 0),
    };
    for (RandomStream stream : streams) {
      LongStream.generate(stream::nextLong).limit(500).forEach(all);
    }
    long[] numbers = all.build().toArray();
    assertThat(Arrays.stream(numbers).distinct().count()).isEqualTo(numbers.length);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1L << 48, Long.MAX_VALUE, Long.MIN_VALUE})
  void stream_beyond48Bits_isRefused(long value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> key.stream(value, 0))
        .withMessage("step must be in [0, 2^48), got " + value);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> key.stream(0, value))
        .withMessage("block must be in [0, 2^48), got " + value);
  }

  @Test
  void derive_purpose_isHmacAndKeepsTheFlag() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key.bytes(), "HmacSHA256"));
    byte[] expected = mac.doFinal("noise".getBytes(StandardCharsets.UTF_8));
    assertThat(key.derive("noise").bytes()).isEqualTo(expected);
    assertThat(key.hmac().doFinal("noise".getBytes(StandardCharsets.UTF_8))).isEqualTo(expected);
    assertThat(key.derive("noise").isInsecure()).isTrue();
    assertThat(RandomKey.secure().derive("noise").isInsecure()).isFalse();
  }

  @Test
  void secure_twice_isNotTheSame() {
    assertThat(RandomKey.secure()).isNotEqualTo(RandomKey.secure());
    assertThat(RandomKey.secure().isInsecure()).isFalse();
  }

  @Test
  void of_storedBytes_isTheSecureKeyAndCopies() {
    RandomKey secure = RandomKey.secure();
    byte[] bytes = secure.bytes();
    RandomKey stored = RandomKey.of(bytes);
    Arrays.fill(bytes, (byte) 0);
    Arrays.fill(stored.bytes(), (byte) 0);
    assertThat(stored).isEqualTo(secure).hasSameHashCodeAs(secure);
    assertThat(RandomKey.of(key.bytes())).isNotEqualTo(key);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 31, 33})
  void of_wrongLength_isRefused(int length) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RandomKey.of(new byte[length]))
        .withMessage("bytes must have length 32, got " + length);
  }

  @Test
  void toString_anyKey_doesNotShowIt() {
    assertThat(key).hasToString("RandomKey[insecure]");
    assertThat(RandomKey.secure()).hasToString("RandomKey[secure]");
  }

  @Test
  void serialization_thereAndBack_givesTheSameStreams() throws Exception {
    for (RandomKey original : new RandomKey[] {key, RandomKey.secure()}) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(original);
      }
      try (ObjectInputStream in =
          new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
        RandomKey copy = (RandomKey) in.readObject();
        assertThat(copy).isEqualTo(original);
        assertThat(copy.stream(1, 2).nextLong()).isEqualTo(original.stream(1, 2).nextLong());
      }
    }
  }
}
