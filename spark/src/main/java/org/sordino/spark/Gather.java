package org.sordino.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.sordino.random.RandomKey;
import org.sordino.training.Examples;

/** Combines the examples of a partition into one block, in their order. */
final class Gather implements FlatMapFunction<Iterator<Examples>, Block> {

  private static final long serialVersionUID = 1;

  private final int width;
  private final RandomKey key;

  Gather(int width, RandomKey key) {
    this.width = width;
    this.key = key;
  }

  @Override
  public Iterator<Block> call(Iterator<Examples> parts) {
    List<Examples> all = new ArrayList<>();
    all.add(Examples.none(width)); // a partition may be empty
    parts.forEachRemaining(all::add);
    return Collections.singleton(Block.of(Examples.concat(all), key)).iterator();
  }
}
