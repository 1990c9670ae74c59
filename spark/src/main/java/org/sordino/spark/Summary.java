package org.sordino.spark;

import java.io.Serializable;
import org.sordino.training.EngineFactory;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/** The information about a partition that the driver keeps. */
final class Summary implements Serializable {

  private static final long serialVersionUID = 1;

  private static final String NAMELESS =
      "every row must have a user, got rows without one; add users or remove these rows";

  private final int records;
  private final byte[] digest;
  private final String refusal;
  private final String pins;

  private Summary(int records, byte[] digest, String refusal, String pins) {
    this.records = records;
    this.digest = digest;
    this.refusal = refusal;
    this.pins = pins;
  }

  /**
   * Summarizes a block.
   *
   * @param opens whether sums will be computed from the block, so that an engine is needed
   */
  static Summary of(Block block, EngineFactory factory, boolean opens) {
    String refusal = block.isNameless() ? NAMELESS : factory.refusal(block.examples());
    int records = block.records().size();
    return new Summary(records, block.digest(), refusal, opens ? block.pins(factory) : "");
  }

  /** Returns the number of records, which is private. */
  int records() {
    return records;
  }

  /** Returns the digest of the contents, computed with the key of the engine. */
  byte[] digest() {
    return digest.clone();
  }

  /** Returns the reason why the records cannot be used; empty if they can. */
  String refusal() {
    return refusal;
  }

  /** Returns everything else that may change a bit of the sums: model, libraries, processor. */
  String pins() {
    return pins;
  }

  /**
   * Summarizes the single block of a partition. Problems are results, because exceptions would be
   * retried.
   */
  static final class Task extends AbstractFunction1<Iterator<Block>, Summary>
      implements Serializable {

    private static final long serialVersionUID = 1;

    private final EngineFactory factory;
    private final boolean opens;

    Task(EngineFactory factory, boolean opens) {
      this.factory = factory;
      this.opens = opens;
    }

    @Override
    public Summary apply(Iterator<Block> blocks) {
      return Summary.of(blocks.next(), factory, opens);
    }
  }
}
