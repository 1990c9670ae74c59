package org.sordino.spark;

import java.io.Serializable;
import org.sordino.training.EngineFactory;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/** What the driver knows about a partition. */
final class Summary implements Serializable {

  private static final long serialVersionUID = 1;

  private static final String NAMELESS =
      "every row must have a user, got rows without one; give them one or leave them out";

  private final int records;
  private final byte[] digest;
  private final String refusal;
  private final String pins;

  Summary(Block block, EngineFactory factory) {
    records = block.records().size();
    digest = block.digest();
    refusal = block.isNameless() ? NAMELESS : factory.refusal(block.examples());
    pins = block.pins(factory);
  }

  /** How many it has; private. */
  int records() {
    return records;
  }

  /** Of its contents, under a key that its engine keeps. */
  byte[] digest() {
    return digest.clone();
  }

  /** What is wrong with its records, or empty. */
  String refusal() {
    return refusal;
  }

  /** What else may change a bit of its sums: the model, libraries, the processor. */
  String pins() {
    return pins;
  }

  /** Summarizes the one block of a partition. Trouble is an answer: exceptions would be retried. */
  static final class Task extends AbstractFunction1<Iterator<Block>, Summary>
      implements Serializable {

    private static final long serialVersionUID = 1;

    private final EngineFactory factory;

    Task(EngineFactory factory) {
      this.factory = factory;
    }

    @Override
    public Summary apply(Iterator<Block> blocks) {
      return new Summary(blocks.next(), factory);
    }
  }
}
