package org.sordino.training;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Assignment of examples to records. An example belongs to at most one record. The record of an
 * example, and whether the example is among those that its user may contribute, depend only on the
 * examples of that record. Adding or removing a record therefore leaves the other records
 * unchanged.
 */
public final class Records {

  /** Null if every example is a record. */
  private final int @Nullable [][] members;

  private final int size;

  private Records(int @Nullable [][] members, int size) {
    this.members = members;
    this.size = size;
  }

  /** Returns the assignment in which every example is a record. */
  public static Records examples(int count) {
    return new Records(null, count);
  }

  /**
   * Assigns examples to the slots of microbatches. The slot depends only on the content of the
   * example, not on its position, on other examples or on a secret. Equal examples share a slot.
   *
   * @param count number of examples
   * @param slots number of slots, which is public
   * @param digest returns the digest of an example: at least 8 bytes that look random
   */
  public static Records microbatches(int count, int slots, IntFunction<byte[]> digest) {
    if (slots < 1) {
      throw new IllegalArgumentException("slots must be at least 1, got " + slots);
    }
    int[] slotOf = new int[count];
    int[] sizes = new int[slots];
    for (int i = 0; i < count; i++) {
      slotOf[i] = (int) Long.remainderUnsigned(ByteBuffer.wrap(digest.apply(i)).getLong(), slots);
      sizes[slotOf[i]]++;
    }
    int[][] members = new int[slots][];
    Arrays.setAll(members, slot -> new int[sizes[slot]]);
    for (int i = count - 1; i >= 0; i--) {
      members[slotOf[i]][--sizes[slotOf[i]]] = i;
    }
    return new Records(members, slots);
  }

  /**
   * Assigns examples to users. Users are ordered by name and the examples of a user by digest, so
   * nothing depends on the order of the table.
   *
   * @param users the user of each example
   * @param most maximum number of examples of a user; those with the smallest digests are used
   * @param digest returns the digest of an example: bytes that look random
   */
  public static Records users(List<String> users, int most, IntFunction<byte[]> digest) {
    if (most < 1) {
      throw new IllegalArgumentException("examples per user must be at least 1, got " + most);
    }
    Map<String, List<Integer>> byUser = new TreeMap<>();
    for (int i = 0; i < users.size(); i++) {
      String user = users.get(i);
      if (user.isBlank()) {
        throw new IllegalArgumentException(
            "every example must have a user, got a blank user at example " + i + "; add it");
      }
      byUser.computeIfAbsent(user, name -> new ArrayList<>()).add(i);
    }
    int[][] members =
        byUser.values().stream()
            .map(examples -> chosen(examples, most, digest))
            .toArray(int[][]::new);
    return new Records(members, members.length);
  }

  private static int[] chosen(List<Integer> examples, int most, IntFunction<byte[]> digest) {
    record Ranked(int example, byte[] digest) {}
    return examples.stream()
        .map(i -> new Ranked(i, digest.apply(i)))
        .sorted(Comparator.comparing(Ranked::digest, Arrays::compareUnsigned))
        .limit(most)
        .mapToInt(Ranked::example)
        .toArray();
  }

  /**
   * Assigns consecutive examples to records.
   *
   * @param sizes number of examples of each record
   */
  public static Records consecutive(int[] sizes) {
    int[][] members = new int[sizes.length][];
    int first = 0;
    for (int record = 0; record < sizes.length; record++) {
      members[record] = IntStream.range(first, first + sizes[record]).toArray();
      first += sizes[record];
    }
    return new Records(members, sizes.length);
  }

  /** Returns the number of records. */
  public int size() {
    return size;
  }

  /** Returns whether every example is a record. */
  public boolean areExamples() {
    return members == null;
  }

  /** Returns the indices of the examples of a record. */
  public int[] members(int record) {
    return members == null ? new int[] {record} : members[record];
  }

  /** Returns the assignment as bytes, for the fingerprint of an engine. */
  public byte[] bytes() {
    if (members == null) {
      return new byte[0];
    }
    int length = Arrays.stream(members).mapToInt(examples -> examples.length + 1).sum();
    ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES * length);
    for (int[] examples : members) {
      buffer.putInt(examples.length);
      for (int example : examples) {
        buffer.putInt(example);
      }
    }
    return buffer.array();
  }
}
