package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Weight gradients of a convolution as products of patches and derivatives. Patches of a few
 * records are copied out at a time, so many that they are still in the cache when they are used.
 */
final class Patches extends Written {

  private static final long CACHED = 1 << 16; // numbers

  private final Tensor all; // a view in which patches overlap
  private final int records;
  private final boolean planar;
  private final int positions;
  private final int length;
  private final int outputs;
  private final int few;
  private final Tensor some;
  private final FloatPointer patches;
  private final FloatPointer derivatives;
  private int first = -1; // of those that are copied

  /**
   * Patches and derivatives.
   *
   * @param all [B, C kh kw, T] if planar, else [B, T, kh kw C], each axis in parts
   * @param g [B, T, p], contiguous
   */
  Patches(Order order, Tensor all, boolean planar, Tensor g) {
    super(order);
    this.all = all;
    this.records = Math.toIntExact(g.size(0));
    this.outputs = Math.toIntExact(g.size(2));
    this.planar = planar;
    this.positions = Math.toIntExact(g.size(1));
    this.length = Math.toIntExact(all.numel() / all.size(0) / positions);
    this.few = (int) Math.max(1, Math.min(all.size(0), CACHED / ((long) positions * length)));
    this.some = torch.empty((long) few * positions * length);
    this.patches = some.data_ptr_float();
    this.derivatives = g.data_ptr_float();
  }

  @Override
  int records() {
    return records;
  }

  @Override
  int size() {
    return length * outputs;
  }

  @Override
  void write(int record, FloatPointer row) {
    if (record / few != first) {
      first = record / few;
      Scopes.run(this::copy);
    }
    patches.position((long) (record % few) * positions * length);
    derivatives.position((long) record * positions * outputs);
    Tensors.multiply(
        patches,
        planar ? positions : length,
        !planar,
        derivatives,
        row,
        length,
        positions,
        outputs);
  }

  private void copy() {
    long from = (long) first * few;
    Tensor these = all.narrow(0, from, Math.min(few, records - from));
    some.narrow(0, 0, these.numel()).view(these.sizes()).copy_(these);
  }
}
