package org.sordino.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.sordino.random.RandomKey;
import org.sordino.training.Examples;
import scala.Tuple2;

/**
 * Combines the users of a partition into one block. Examples arrive user by user, but the order
 * within a user is random and may differ when a lost partition is recomputed. They are therefore
 * sorted by their digests, as in {@link org.sordino.training.Records#users}, and only the permitted
 * number is kept.
 */
final class GatherUsers implements FlatMapFunction<Iterator<Tuple2<String, Examples>>, Block> {

  private static final long serialVersionUID = 1;

  private static final Comparator<Row> BY_DIGEST =
      Comparator.comparing(Row::digest, Arrays::compareUnsigned);

  private final int width;
  private final int most;
  private final RandomKey key;

  GatherUsers(int width, int most, RandomKey key) {
    this.width = width;
    this.most = most;
    this.key = key;
  }

  /** An example by its position in a part. */
  private record Row(Examples part, int number, byte[] digest) {}

  @Override
  public Iterator<Block> call(Iterator<Tuple2<String, Examples>> parts) {
    List<Examples> kept = new ArrayList<>();
    kept.add(Examples.none(width)); // a partition may be empty
    List<String> users = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    PriorityQueue<Row> rows = new PriorityQueue<>(BY_DIGEST.reversed());
    while (parts.hasNext()) {
      Tuple2<String, Examples> part = parts.next();
      if (users.isEmpty() || !part._1().equals(users.get(users.size() - 1))) {
        finish(rows, kept, sizes);
        users.add(part._1());
      }
      for (int i = 0; i < part._2().size(); i++) {
        rows.add(new Row(part._2(), i, part._2().digest(i)));
        if (rows.size() > most) {
          rows.remove();
        }
      }
    }
    finish(rows, kept, sizes);
    int[] counts = sizes.stream().mapToInt(size -> size).toArray();
    return List.of(Block.of(Examples.concat(kept), users, counts, key)).iterator();
  }

  /** Appends the rows of a finished user. */
  private static void finish(PriorityQueue<Row> rows, List<Examples> kept, List<Integer> sizes) {
    if (rows.isEmpty()) {
      return;
    }
    sizes.add(rows.size());
    rows.stream()
        .sorted(BY_DIGEST)
        .forEach(row -> kept.add(row.part().slice(row.number(), row.number() + 1)));
    rows.clear();
  }
}
