package org.sordino.spark;

import java.io.Serializable;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.sordino.mechanism.Clipping;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.EngineFactory;
import org.sordino.training.GradientEngine;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * One partition's share of a step. The answer is a function of the block and of what is in here,
 * bit for bit: a retried task, a speculative copy and a recomputed partition all give the same, and
 * Spark hands exactly one of them to the driver. (A task that drew anew when it is retried would
 * release samples on the condition that they did not make it fail.)
 *
 * <p>The sampling key travels in the closure, where no event log and no page of the UI shows it;
 * the noise key never leaves the driver.
 */
final class StepTask extends AbstractFunction1<Iterator<Block>, byte[]> implements Serializable {

  private static final long serialVersionUID = 1;

  /** The answer of a partition that is not what it was. */
  static final byte[] CHANGED = {};

  private final EngineFactory factory;
  private final Broadcast<Directory> directory;
  private final Route route;
  private final PoissonSample sample;
  private final Clipping clipping;

  StepTask(
      EngineFactory factory,
      Broadcast<Directory> directory,
      Route route,
      PoissonSample sample,
      Clipping clipping) {
    this.factory = factory;
    this.directory = directory;
    this.route = route;
    this.sample = sample;
    this.clipping = clipping;
  }

  @Override
  public byte[] apply(Iterator<Block> blocks) {
    int partition = TaskContext.getPartitionId();
    Block block = blocks.next();
    if (!directory.value().matches(partition, block, factory)) {
      return CHANGED;
    }
    GradientEngine engine = block.engine(factory);
    long[] sums = new long[engine.layout().dimension()];
    PoissonSample share = sample.from(directory.value().first(partition));
    engine.sum(share, route.parameters(), clipping, sums);
    return route.deliver(partition, sums);
  }
}
