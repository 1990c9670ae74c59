package org.sordino.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.GradientEngine;
import org.sordino.training.Records;

/**
 * The records of one partition in an executor: examples, or users with their examples. Their
 * numbers in the whole table are consecutive, or given if the records were placed by content. The
 * digest is computed together with the partition. If a lost partition is recomputed with other
 * contents, its digest differs.
 */
final class Block implements Serializable {

  private static final long serialVersionUID = 1;

  /** Closes engines, because Spark gives no notice when it drops a block. */
  private static final Cleaner CLEANER = Cleaner.create();

  private final Examples examples;
  private final int @Nullable [] sizes; // examples per user; null if each example is a record
  private final long @Nullable [] numbers; // of the records, ascending; null if consecutive
  private final boolean nameless;
  private final byte[] digest; // empty if the partition could not be computed again
  private transient @Nullable GradientEngine engine;
  private transient @Nullable String pins;

  private Block(
      Examples examples,
      int @Nullable [] sizes,
      long @Nullable [] numbers,
      boolean nameless,
      byte[] digest) {
    this.examples = examples;
    this.sizes = sizes;
    this.numbers = numbers;
    this.nameless = nameless;
    this.digest = digest;
  }

  /**
   * Creates a block in which every example is a record.
   *
   * @param key key of the digest; it is used for nothing else and only as long as the engine exists
   */
  static Block of(Examples examples, RandomKey key) {
    return new Block(examples, null, null, false, contents(examples, key).digest());
  }

  /**
   * Creates a block in which every example is a record, in any places of the table.
   *
   * @param numbers numbers of the records in the whole table, ascending
   * @param key key of the digest
   */
  static Block of(Examples examples, long[] numbers, RandomKey key) {
    byte[] digest = contents(examples, key).add(ArrayBytes.bytes(numbers)).digest();
    return new Block(examples, null, numbers, false, digest);
  }

  /** Creates the block of a partition whose records changed before they were placed. */
  static Block changed(int width) {
    return new Block(Examples.none(width), null, new long[0], false, new byte[0]);
  }

  /**
   * Creates a block of whole users, with the examples of each user stored consecutively.
   *
   * @param users IDs of the users
   * @param sizes number of examples of each user
   * @param key key of the digest
   */
  static Block of(Examples examples, List<String> users, int[] sizes, RandomKey key) {
    Fingerprint digest = contents(examples, key);
    for (int i = 0; i < sizes.length; i++) {
      digest.add(users.get(i)).add(Integer.toString(sizes[i]));
    }
    boolean nameless = users.stream().anyMatch(String::isBlank);
    return new Block(examples, sizes, null, nameless, digest.digest());
  }

  private static Fingerprint contents(Examples examples, RandomKey key) {
    return Fingerprint.of(key).add(examples.features()).add(examples.targets());
  }

  Examples examples() {
    return examples;
  }

  /** Returns which examples form which record. */
  Records records() {
    return sizes == null ? Records.examples(examples.size()) : Records.consecutive(sizes);
  }

  /**
   * Returns the number of a record in the whole table.
   *
   * @param first number of the first record of the partition, if numbers are consecutive
   */
  long number(int record, long first) {
    return numbers == null ? first + record : numbers[record];
  }

  /**
   * Returns the sample of these records.
   *
   * @param sample sample of the whole table
   * @param first number of the first record of the partition, if numbers are consecutive
   */
  PoissonSample sample(PoissonSample sample, long first) {
    return numbers == null ? sample.from(first) : sample.at(numbers);
  }

  /** Returns whether any example has no user. */
  boolean isNameless() {
    return nameless;
  }

  byte[] digest() {
    return digest.clone();
  }

  /**
   * Returns the engine over these records. It is created once in every executor that holds them.
   */
  synchronized GradientEngine engine(EngineFactory factory) {
    GradientEngine open = engine;
    if (open == null) {
      open = EngineFailure.guard(() -> factory.open(examples, records(), 1), false);
      engine = open;
      CLEANER.register(this, open::close);
    }
    return open;
  }

  /** Returns the environment of this process as in {@link EngineFactory#pins}. */
  synchronized String pins(EngineFactory factory) {
    String known = pins;
    if (known == null) {
      known = EngineFailure.guard(factory::pins, true);
      pins = known;
    }
    return known;
  }
}
