package org.sordino.torch;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;

/**
 * A network with its loss, over examples in memory. Runs the forward pass over some of the examples
 * and the backward pass to the outputs of all maps that have parameters. Thread-safe.
 */
final class TapedNetwork {

  private final Architecture architecture;
  private final Loss loss;
  private final TorchData data;
  private final RandomKey dropout;
  private final long[] places; // content hash of each example
  private final Map<String, Integer> vectors = new HashMap<>();

  /**
   * Creates a network over data that fits it.
   *
   * @param dropout key of the dropout masks
   */
  TapedNetwork(Architecture architecture, Loss loss, TorchData data, RandomKey dropout) {
    this.architecture = architecture;
    this.loss = loss;
    this.data = data;
    this.dropout = dropout;
    this.places = places(data);
    architecture.layout().names().forEach(name -> vectors.put(name, vectors.size()));
  }

  private static long[] places(TorchData data) {
    return IntStream.range(0, data.size())
        .parallel()
        .mapToLong(i -> ByteBuffer.wrap(data.digest(i)).getLong() >>> 16)
        .toArray();
  }

  /**
   * Runs the forward and the backward pass.
   *
   * @param examples indices of the examples
   * @param rows number of rows of all tensors, at least the number of examples; the rest are zeros
   * @param weights parameter tensors by name
   * @param step step number, which determines the dropout masks
   * @param outcomes called with the outcomes before the backward pass, or null if they are not
   *     needed
   */
  List<Tape.Recorded> tape(
      int[] examples,
      int rows,
      Map<String, Tensor> weights,
      long step,
      @Nullable Consumer<Outcomes> outcomes) {
    Tape tape = new Tape();
    int[] padded = TorchData.padded(examples, rows);
    Tensor x = data.inputs(padded, architecture.input());
    Tensor y = architecture.layers().forward(x, new Pass(weights, tape, masks(step, padded)));
    Tensor targets = data.targets(padded);
    if (outcomes != null) {
      outcomes.accept(new Outcomes(loss, y, targets, examples.length));
    }
    return tape.backward(loss.sum(y, targets));
  }

  private @Nullable Masks masks(long step, int[] examples) {
    return !architecture.layers().haveDropout()
        ? null
        : new Masks(dropout, step, Arrays.stream(examples).mapToLong(this::place).toArray());
  }

  private long place(int example) {
    return example == TorchData.ZEROS ? 0 : places[example];
  }

  Architecture architecture() {
    return architecture;
  }

  Loss loss() {
    return loss;
  }

  TorchData data() {
    return data;
  }

  RandomKey dropout() {
    return dropout;
  }

  /** Returns the content hash of each example, below {@link Shards#PLACES}. */
  long[] places() {
    return places;
  }

  /** Returns the index of a parameter tensor in the layout. */
  int vector(String parameter) {
    Integer vector = vectors.get(parameter);
    if (vector == null) {
      throw new IllegalStateException("no vector has the name " + parameter);
    }
    return vector;
  }

  /** Returns the name of the parameter tensor with this index in the layout. */
  String parameter(int vector) {
    return architecture.layout().vectors().get(vector).name();
  }
}
