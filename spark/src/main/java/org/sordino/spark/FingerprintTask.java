package org.sordino.spark;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.Records;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * Computes one partition's share of the fingerprint: the sum over its records of a keyed digest of
 * record number and contents. The sum does not depend on partition boundaries, so a run can be
 * resumed with different partitions. Without the key, nobody can find other records with the same
 * sum.
 */
final class FingerprintTask extends AbstractFunction1<Iterator<Block>, byte[]>
    implements Serializable {

  private static final long serialVersionUID = 1;

  static final int LANES = 4;

  private final EngineFactory factory;
  private final Broadcast<Directory> directory;
  private final RandomKey key;

  FingerprintTask(EngineFactory factory, Broadcast<Directory> directory, RandomKey key) {
    this.factory = factory;
    this.directory = directory;
    this.key = key;
  }

  @Override
  public byte[] apply(Iterator<Block> blocks) {
    int partition = TaskContext.getPartitionId();
    Block block = blocks.next();
    if (!directory.value().matches(partition, block, factory)) {
      return StepTask.CHANGED;
    }
    return ArrayBytes.bytes(lanes(block, directory.value().first(partition)));
  }

  private long[] lanes(Block block, long first) {
    Examples examples = block.examples();
    Records records = block.records();
    Fingerprint fingerprint = Fingerprint.of(key);
    long[] lanes = new long[LANES];
    int width = examples.width();
    byte[] number = new byte[Long.BYTES];
    for (int record = 0; record < records.size(); record++) {
      ByteBuffer.wrap(number).putLong(block.number(record, first));
      fingerprint.add(number);
      for (int i : records.members(record)) {
        fingerprint
            .add(Arrays.copyOfRange(examples.features(), i * width, (i + 1) * width))
            .add(new float[] {examples.targets()[i]});
      }
      addTo(lanes, ArrayBytes.longs(fingerprint.digest()));
    }
    return lanes;
  }

  /** Adds modulo 2^64. */
  static void addTo(long[] lanes, long[] other) {
    for (int lane = 0; lane < LANES; lane++) {
      lanes[lane] += other[lane];
    }
  }
}
