package org.sordino.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.sordino.random.RandomKey;
import org.sordino.training.Examples;
import scala.Tuple2;

/**
 * Makes one block of the users of a partition, whose examples arrive user by user. In which order
 * those of one user arrive is chance, and comes out otherwise if a lost partition is computed
 * again: they are put in the order of their digests.
 */
final class GatherUsers implements FlatMapFunction<Iterator<Tuple2<String, Examples>>, Block> {

  private static final long serialVersionUID = 1;

  private final int width;
  private final int most;
  private final RandomKey key;

  GatherUsers(int width, int most, RandomKey key) {
    this.width = width;
    this.most = most;
    this.key = key;
  }

  /** One example of a user. */
  private record Owned(String user, Examples part, int row, byte[] digest) {

    Owned(String user, Examples part, int row) {
      this(user, part, row, part.digest(row));
    }
  }

  @Override
  public Iterator<Block> call(Iterator<Tuple2<String, Examples>> parts) {
    List<Owned> all = new ArrayList<>();
    while (parts.hasNext()) {
      Tuple2<String, Examples> part = parts.next();
      for (int row = 0; row < part._2().size(); row++) {
        all.add(new Owned(part._1(), part._2(), row));
      }
    }
    all.sort(
        Comparator.comparing(Owned::user).thenComparing(Owned::digest, Arrays::compareUnsigned));
    float[] features = new float[Math.multiplyExact(all.size(), width)];
    float[] targets = new float[all.size()];
    String[] users = new String[all.size()];
    for (int i = 0; i < users.length; i++) {
      Owned owned = all.get(i);
      System.arraycopy(owned.part().features(), owned.row() * width, features, i * width, width);
      targets[i] = owned.part().targets()[owned.row()];
      users[i] = owned.user();
    }
    Examples examples = new Examples(features, width, targets);
    return Collections.singleton(Block.of(examples, users, most, key)).iterator();
  }
}
