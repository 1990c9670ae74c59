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
 * A network with its loss over examples in memory. Runs forward over some of the examples and back
 * to the outputs of all maps that own parameters. Safe for use by several threads.
 */
final class TapedNetwork {

  private final Architecture architecture;
  private final Loss loss;
  private final TorchData data;
  private final RandomKey dropout;
  private final long[] places; // one per example, by its content
  private final Map<String, Integer> vectors = new HashMap<>();

  /**
   * A network over some data, which fit each other.
   *
   * @param dropout the key of the dropout masks
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
   * Runs forward and back.
   *
   * @param examples which ones, by number
   * @param weights every parameter tensor by name
   * @param step the dropout masks are those of this step
   * @param outcomes called with the outcomes before going back, or null if they are not needed
   */
  List<Tape.Recorded> tape(
      int[] examples,
      Map<String, Tensor> weights,
      long step,
      @Nullable Consumer<Outcomes> outcomes) {
    Tape tape = new Tape();
    Tensor x = data.inputs(examples, architecture.input());
    Tensor y = architecture.layers().forward(x, new Pass(weights, tape, masks(step, examples)));
    Tensor targets = data.targets(examples);
    if (outcomes != null) {
      outcomes.accept(new Outcomes(loss, y, targets));
    }
    return tape.backward(loss.sum(y, targets));
  }

  private @Nullable Masks masks(long step, int[] examples) {
    return !architecture.layers().haveDropout()
        ? null
        : new Masks(dropout, step, Arrays.stream(examples).mapToLong(i -> places[i]).toArray());
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

  /** A number for the content of each example, below {@link Shards#PLACES}. */
  long[] places() {
    return places;
  }

  /** The number of a parameter tensor in the layout. */
  int vector(String parameter) {
    Integer vector = vectors.get(parameter);
    if (vector == null) {
      throw new IllegalStateException("no vector is called " + parameter);
    }
    return vector;
  }

  /** The name of the parameter tensor with this number in the layout. */
  String parameter(int vector) {
    return architecture.layout().vectors().get(vector).name();
  }
}
