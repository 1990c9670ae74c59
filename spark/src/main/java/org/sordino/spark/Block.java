package org.sordino.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.GradientEngine;

/**
 * The records of one partition, as an executor keeps them. The digest is made when the partition is
 * computed: one that was lost and computed again, and came out otherwise, has another digest.
 */
final class Block implements Serializable {

  private static final long serialVersionUID = 1;

  /** Spark does not say when it drops a block. */
  private static final Cleaner CLEANER = Cleaner.create();

  private final Examples examples;
  private final byte[] digest;
  private transient @Nullable GradientEngine engine;
  private transient @Nullable String pins;

  private Block(Examples examples, byte[] digest) {
    this.examples = examples;
    this.digest = digest;
  }

  /**
   * A block.
   *
   * @param key of the digest; it lives as long as the engine and is used for nothing else
   */
  static Block of(Examples examples, RandomKey key) {
    byte[] digest = Fingerprint.of(key).add(examples.features()).add(examples.targets()).digest();
    return new Block(examples, digest);
  }

  Examples examples() {
    return examples;
  }

  byte[] digest() {
    return digest.clone();
  }

  /** The engine over these records, made once in every executor that holds them. */
  synchronized GradientEngine engine(EngineFactory factory) {
    GradientEngine open = engine;
    if (open == null) {
      open = factory.open(examples, 1);
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
