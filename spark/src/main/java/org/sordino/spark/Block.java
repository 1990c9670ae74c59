package org.sordino.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.GradientEngine;
import org.sordino.training.Records;

/**
 * The records of one partition, as an executor keeps them: examples, or users with their examples.
 * The digest is made when the partition is computed: one that was lost and computed again, and came
 * out otherwise, has another digest.
 */
final class Block implements Serializable {

  private static final long serialVersionUID = 1;

  /** Spark does not say when it drops a block. */
  private static final Cleaner CLEANER = Cleaner.create();

  private final Examples examples;
  private final int @Nullable [] sizes; // of users; null where examples are records
  private final boolean nameless;
  private final byte[] digest;
  private transient @Nullable GradientEngine engine;
  private transient @Nullable String pins;

  private Block(Examples examples, int @Nullable [] sizes, boolean nameless, byte[] digest) {
    this.examples = examples;
    this.sizes = sizes;
    this.nameless = nameless;
    this.digest = digest;
  }

  /**
   * A block of which every example is a record.
   *
   * @param key of the digest; it lives as long as the engine and is used for nothing else
   */
  static Block of(Examples examples, RandomKey key) {
    return new Block(examples, null, false, contents(examples, key).digest());
  }

  /**
   * A block of whole users, whose examples lie one behind the other.
   *
   * @param users their names
   * @param sizes how many examples each has
   * @param key of the digest
   */
  static Block of(Examples examples, List<String> users, int[] sizes, RandomKey key) {
    Fingerprint digest = contents(examples, key);
    for (int i = 0; i < sizes.length; i++) {
      digest.add(users.get(i)).add(Integer.toString(sizes[i]));
    }
    boolean nameless = users.stream().anyMatch(String::isBlank);
    return new Block(examples, sizes, nameless, digest.digest());
  }

  private static Fingerprint contents(Examples examples, RandomKey key) {
    return Fingerprint.of(key).add(examples.features()).add(examples.targets());
  }

  Examples examples() {
    return examples;
  }

  /** Which examples make up which record. */
  Records records() {
    return sizes == null ? Records.examples(examples.size()) : Records.consecutive(sizes);
  }

  /** Whether some example belongs to nobody. */
  boolean isNameless() {
    return nameless;
  }

  byte[] digest() {
    return digest.clone();
  }

  /** The engine over these records, made once in every executor that holds them. */
  synchronized GradientEngine engine(EngineFactory factory) {
    GradientEngine open = engine;
    if (open == null) {
      open = factory.open(examples, records(), 1);
      engine = open;
      CLEANER.register(this, open::close);
    }
    return open;
  }

  /** What this process computes with, as {@link EngineFactory#pins}. */
  synchronized String pins(EngineFactory factory) {
    String known = pins;
    if (known == null) {
      known = factory.pins();
      pins = known;
    }
    return known;
  }
}
