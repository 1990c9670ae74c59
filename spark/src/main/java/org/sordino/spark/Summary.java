package org.sordino.spark;

import java.io.Serializable;
import org.sordino.training.EngineFactory;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * What the driver knows about a partition.
 *
 * @param records how many it has; private
 * @param digest of its contents, under a key that its engine keeps
 * @param refusal what is wrong with its records, or empty
 * @param pins what else may change a bit of its sums: the model, libraries, the processor
 */
record Summary(int records, byte[] digest, String refusal, String pins) implements Serializable {

  /** Summarises the one block of a partition. Trouble is an answer: exceptions would be retried. */
  static final class Task extends AbstractFunction1<Iterator<Block>, Summary>
      implements Serializable {

    private static final long serialVersionUID = 1;

    private final EngineFactory factory;

    Task(EngineFactory factory) {
      this.factory = factory;
    }

    @Override
    public Summary apply(Iterator<Block> blocks) {
      Block block = blocks.next();
      return new Summary(
          block.examples().size(),
          block.digest(),
          factory.refusal(block.examples()),
          block.pins(factory));
    }
  }
}
