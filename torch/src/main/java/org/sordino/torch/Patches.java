package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Weight gradients of a convolution as products of patches and derivatives. Patches of a few
 * records are copied out at a time, so many that they are still in the cache when they are used.
 * The longer the runs of adjacent numbers, the faster is a copy.
 */
final class Patches extends Written {

  private static final long CACHED = 1 << 16; // numbers

  private final Tensor all; // a view in which patches overlap
  private final int records;
  private final int positions;
  private final int length;
  private final int outputs;
  private final int few;
  private final @Nullable Tensor moved; // a few records on their way, if there are two copies
  private final @Nullable Tensor runs; // what the second one copies: [few, length, T]
  private final Tensor some; // [few, length, T] if there are two copies, else [few, T, length]
  private final FloatPointer patches;
  private final FloatPointer derivatives;
  private int first = -1; // of those that are copied

  private Patches(Order order, Tensor all, int length, Tensor g, long @Nullable [] strides) {
    super(order);
    this.all = all;
    this.records = Math.toIntExact(g.size(0));
    this.positions = Math.toIntExact(g.size(1));
    this.length = length;
    this.outputs = Math.toIntExact(g.size(2));
    this.few = (int) Math.max(1, Math.min(records, CACHED / ((long) positions * length)));
    if (strides == null) {
      this.moved = null;
      this.runs = null;
    } else {
      Tensor buffer = torch.empty_like(all.narrow(0, 0, few).contiguous());
      long lines = strides[0] / strides[1];
      long[] dims = {few, lines, length / lines, positions};
      this.moved = buffer;
      this.runs = torch.as_strided(buffer, dims, strides);
    }
    this.some = torch.empty((long) few * positions * length);
    this.patches = some.data_ptr_float();
    this.derivatives = g.data_ptr_float();
  }

  /**
   * Patches of pixels with all their channels.
   *
   * @param all [B, T, kh kw C], axes in parts
   * @param g [B, T, p], contiguous
   */
  static Patches ofPixels(Convolution layer, Tensor all, Tensor g) {
    long channels = all.size(all.dim() - 1);
    int length = Math.toIntExact(layer.kernel()[0] * layer.kernel()[1] * channels);
    return new Patches(ConvolutionRule.channelsLast(layer, channels), all, length, g, null);
  }

  /** Whether there is a way by {@link #ofPlanes}. */
  static boolean fitPlanes(Convolution layer) {
    int stride = layer.stride()[0];
    return stride == 1 || layer.dilation()[0] == 1 && layer.kernel()[0] % stride == 0;
  }

  /**
   * Patches of planes of channels, for images of few channels. What lies under one place of the
   * kernel, position after position, is a plane, moved. So a plane is first copied once for every
   * column of the kernel, moved sideways; with a stride of s, every s-th line, and the lines
   * between them as planes of their own. Moved up or down that is the same memory from another line
   * on: one run as long as there are positions, for the second copy.
   *
   * @param x [B, C, H, W] with its borders, contiguous
   * @param g [B, h, w, p], contiguous
   */
  static Patches ofPlanes(Convolution layer, Tensor x, Tensor g) {
    long channels = x.size(1);
    long rows = g.size(1);
    long columns = g.size(2);
    int phases = layer.stride()[0];
    int across = layer.kernel()[1];
    int steps = layer.kernel()[0] / phases; // of the kernel in lines of a phase
    int apart = phases == 1 ? layer.dilation()[0] : 1;
    long lines = rows + (long) (steps - 1) * apart;
    long line = x.size(3);
    long plane = x.size(2) * line;
    Tensor all =
        torch.as_strided(
            x,
            new long[] {x.size(0), channels, across, phases, lines, columns},
            new long[] {
              channels * plane, plane, layer.dilation()[1], line, phases * line, layer.stride()[1]
            });
    long piece = lines * columns;
    long[] strides = {channels * across * phases * piece, piece, apart * columns, 1};
    int length = Math.toIntExact(channels * across * layer.kernel()[0]);
    long[] dims = {channels, across, phases, steps, layer.out()};
    Order order = new Order(dims, new long[] {4, 0, 3, 2, 1});
    return new Patches(order, all, length, g.view(g.size(0), rows * columns, -1), strides);
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
    boolean planar = runs != null;
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
    long count = Math.min(few, records - from);
    Tensor these = all.narrow(0, from, count);
    if (moved != null && runs != null) {
      moved.narrow(0, 0, count).copy_(these);
      these = runs.narrow(0, 0, count);
    }
    some.narrow(0, 0, these.numel()).view(these.sizes()).copy_(these);
  }
}
