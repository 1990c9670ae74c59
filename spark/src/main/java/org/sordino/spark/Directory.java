package org.sordino.spark;

import java.io.Serializable;
import java.security.MessageDigest;
import org.sordino.training.EngineFactory;

/**
 * Where the records of every partition begin, what they looked like when they were counted, and
 * what executors compute with. Record numbers are those of the whole table in its order, whatever
 * its partitions.
 */
final class Directory implements Serializable {

  private static final long serialVersionUID = 1;

  private final long[] firsts;
  private final byte[][] digests;
  private final String pins;

  private Directory(long[] firsts, byte[][] digests, String pins) {
    this.firsts = firsts;
    this.digests = digests;
    this.pins = pins;
  }

  static Directory of(Summary[] partitions) {
    long[] firsts = new long[partitions.length + 1];
    byte[][] digests = new byte[partitions.length][];
    for (int p = 0; p < partitions.length; p++) {
      firsts[p + 1] = firsts[p] + partitions[p].records();
      digests[p] = partitions[p].digest();
      if (!partitions[p].pins().equals(partitions[0].pins())) {
        throw new IllegalArgumentException(
            "executors must compute alike, got several kinds of processors or libraries, whose sums"
                + " differ in their last bits; use machines of one kind");
      }
    }
    return new Directory(firsts, digests, partitions.length == 0 ? "" : partitions[0].pins());
  }

  /** What may change a bit of a sum besides the records. */
  String pins() {
    return pins;
  }

  /** The number of every partition's first record, and at the end of all records. */
  long[] firsts() {
    return firsts.clone();
  }

  int partitions() {
    return digests.length;
  }

  long records() {
    return firsts[digests.length];
  }

  /** The number of a partition's first record. */
  long first(int partition) {
    return firsts[partition];
  }

  /** Whether a partition holds what it held when it was counted, where sums come out alike. */
  boolean matches(int partition, Block block, EngineFactory factory) {
    return MessageDigest.isEqual(digests[partition], block.digest())
        && pins.equals(block.pins(factory));
  }
}
