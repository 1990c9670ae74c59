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
 * Which examples make up which record. An example belongs to one record at most, and which one, and
 * whether it is among those that a user may contribute, depends on nothing but the examples of that
 * record: so a record that comes or goes leaves the others as they are.
 */
public final class Records {

  /** Null where every example is a record. */
  private final int @Nullable [][] members;

  private final int size;

  private Records(int @Nullable [][] members, int size) {
    this.members = members;
    this.size = size;
  }

  /** Every example is a record. */
  public static Records examples(int count) {
    return new Records(null, count);
  }

  /**
   * Slots of microbatches. The slot follows from the content of the example alone: no order, no
   * other example, and no secret is involved. Equal examples share a slot.
   *
   * @param slots how many, a public number
   * @param digest of every example: at least 8 bytes that look random
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
   * Users, in the order of their names; the examples of one in the order of their digests, so that
   * nothing depends on the order of the table.
   *
   * @param users whose each example is
   * @param most how many examples of a user count: those with the smallest digests
   * @param digest of every example: bytes that look random
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
            "every example must have a user; number " + i + " has none");
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
   * Examples one behind the other.
   *
   * @param sizes how many each record has
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

  /** How many records there are. */
  public int size() {
    return size;
  }

  /** Whether every example is a record of its own. */
  public boolean areExamples() {
    return members == null;
  }

  /** The examples of a record. */
  public int[] members(int record) {
    return members == null ? new int[] {record} : members[record];
  }

  /** For the fingerprint of an engine. */
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
