package org.sordino.spark;

import java.io.Serializable;
import java.security.MessageDigest;

/**
 * Where the records of every partition begin, and what they looked like when they were counted.
 * Record numbers are those of the whole table in its order, whatever its partitions.
 */
final class Directory implements Serializable {

  private static final long serialVersionUID = 1;

  private final long[] firsts;
  private final byte[][] digests;

  private Directory(long[] firsts, byte[][] digests) {
    this.firsts = firsts;
    this.digests = digests;
  }

  static Directory of(Summary[] partitions) {
    long[] firsts = new long[partitions.length + 1];
    byte[][] digests = new byte[partitions.length][];
    for (int p = 0; p < partitions.length; p++) {
      firsts[p + 1] = firsts[p] + partitions[p].records();
      digests[p] = partitions[p].digest();
    }
    return new Directory(firsts, digests);
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

  /** Whether a partition holds what it held when it was counted. */
  boolean matches(int partition, Block block) {
    return MessageDigest.isEqual(digests[partition], block.digest());
  }
}
