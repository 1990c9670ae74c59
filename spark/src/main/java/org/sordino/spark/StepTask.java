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
 * Computes one partition's share of a step. Its result depends only on the block and on the fields
 * of this class, bit for bit: a retried task, a speculative copy and a recomputed partition all
 * return the same, and Spark passes exactly one of them to the driver. (If a retried task drew a
 * new sample, the released samples would be conditioned on not having made a task fail.)
 *
 * <p>The sampling key is part of the closure, which neither the event log nor the UI shows. The
 * noise key never leaves the driver.
 */
final class StepTask extends AbstractFunction1<Iterator<Block>, byte[]> implements Serializable {

  private static final long serialVersionUID = 1;

  /** The result for a partition that has changed. */
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
    PoissonSample share = block.sample(sample, directory.value().first(partition));
    engine.sum(share, route.parameters(), clipping, sums);
    return route.deliver(partition, sums);
  }
}
