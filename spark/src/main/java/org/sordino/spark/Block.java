package org.sordino.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.util.Arrays;
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
  private final String[] users; // one per example; none where examples are records
  private final int most;
  private final byte[] digest;
  private transient @Nullable GradientEngine engine;
  private transient @Nullable String pins;

  private Block(Examples examples, String[] users, int most, byte[] digest) {
    this.examples = examples;
    this.users = users;
    this.most = most;
    this.digest = digest;
  }

  /**
   * A block of which every example is a record.
   *
   * @param key of the digest; it lives as long as the engine and is used for nothing else
   */
  static Block of(Examples examples, RandomKey key) {
    return of(examples, new String[0], 1, key);
  }

  /**
   * A block of whole users.
   *
   * @param users whose each example is
   * @param most how many examples of a user count
   * @param key of the digest
   */
  static Block of(Examples examples, String[] users, int most, RandomKey key) {
    Fingerprint digest = Fingerprint.of(key).add(examples.features()).add(examples.targets());
    for (String user : users) {
      digest.add(user);
    }
    return new Block(examples, users, most, digest.digest());
  }

  Examples examples() {
    return examples;
  }

  /** Which examples make up which record. */
  Records records() {
    return users.length == 0
        ? Records.examples(examples.size())
        : Records.users(List.of(users), most, examples::digest);
  }

  /** Whether some example belongs to nobody. */
  boolean hasNameless() {
    return Arrays.stream(users).anyMatch(String::isBlank);
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
