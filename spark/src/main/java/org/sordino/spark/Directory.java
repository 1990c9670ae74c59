package org.sordino.spark;

import java.io.Serializable;
import java.security.MessageDigest;
import org.sordino.training.EngineFactory;

/**
 * The first record number and the digest of every partition, and the environment of the executors.
 * Records are numbered across the whole table in its order, independently of the partitions.
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
      if (digests[p].length == 0) {
        throw new RecordsChangedException(p);
      }
      if (!partitions[p].pins().equals(partitions[0].pins())) {
        throw new IllegalArgumentException(
            "executors must have the same processors and libraries, got several kinds, whose"
                + " sums may differ in their last bits; use machines of one kind");
      }
    }
    return new Directory(firsts, digests, partitions.length == 0 ? "" : partitions[0].pins());
  }

  /** Returns everything apart from the records that may change a bit of a sum. */
  String pins() {
    return pins;
  }

  int partitions() {
    return digests.length;
  }

  long records() {
    return firsts[digests.length];
  }

  /** Returns the number of a partition's first record. */
  long first(int partition) {
    return firsts[partition];
  }

  /**
   * Returns whether a partition still has the contents that were counted, on an executor with the
   * same environment.
   */
  boolean matches(int partition, Block block, EngineFactory factory) {
    return hasContents(partition, block) && pins.equals(block.pins(factory));
  }

  /** Returns whether a partition still has the contents that were counted. */
  boolean hasContents(int partition, Block block) {
    return MessageDigest.isEqual(digests[partition], block.digest());
  }
}
