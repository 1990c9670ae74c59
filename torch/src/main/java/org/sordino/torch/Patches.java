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

  private final Tensor all; // images, or a view of them in which patches overlap
  private final int records;
  private final int positions;
  private final int length;
  private final int outputs;
  private final int few;
  private final boolean planar;
  private final @Nullable Tensor stage; // where a few records are copied first, if there are two
  private final @Nullable Tensor runs; // what the second copy takes from there
  private final Tensor some; // [few, length, T] if planar, else [few, T, length]
  private final FloatPointer patches;
  private final FloatPointer derivatives;
  private int first = -1; // of those that are copied

  private Patches(
      Order order,
      Tensor all,
      int few,
      @Nullable Tensor stage,
      @Nullable Tensor runs,
      boolean planar,
      int length,
      Tensor g) {
    super(order);
    this.all = all;
    this.records = Math.toIntExact(g.size(0));
    this.positions = Math.toIntExact(g.size(1) * g.size(2));
    this.length = length;
    this.outputs = Math.toIntExact(g.size(3));
    this.few = few;
    this.stage = stage;
    this.runs = runs;
    this.planar = planar;
    this.some = torch.empty((long) few * positions * length);
    this.patches = some.data_ptr_float();
    this.derivatives = g.data_ptr_float();
  }

  private static int few(Tensor g, int length) {
    long size = g.size(1) * g.size(2) * length;
    return (int) Math.max(1, Math.min(g.size(0), CACHED / size));
  }

  /**
   * Patches of pixels with all their channels. Images get their borders on the way.
   *
   * @param x [B, H, W, C]
   * @param g [B, h, w, p], contiguous
   */
  static Patches ofPixels(Convolution layer, Tensor x, Tensor g) {
    long channels = x.size(3);
    int length = Math.toIntExact(channels * layer.kernel()[0] * layer.kernel()[1]);
    Order order = ConvolutionRule.channelsLast(layer, channels);
    int few = few(g, length);
    int up = layer.padding()[0];
    int left = layer.padding()[1];
    if (up + left == 0) {
      Tensor all = ConvolutionRule.windows(layer, x.contiguous());
      return new Patches(order, all, few, null, null, false, length, g);
    }
    Tensor framed = torch.zeros(few, x.size(1) + 2L * up, x.size(2) + 2L * left, channels);
    Tensor inside = framed.narrow(1, up, x.size(1)).narrow(2, left, x.size(2));
    Tensor runs = ConvolutionRule.windows(layer, framed);
    return new Patches(order, x, few, inside, runs, false, length, g);
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
    int length = Math.toIntExact(channels * across * layer.kernel()[0]);
    int few = few(g, length);
    long pieces = channels * across * phases;
    long piece = lines * columns;
    Tensor moved = torch.empty(few, channels, across, phases, lines, columns);
    Tensor runs =
        torch.as_strided(
            moved,
            new long[] {few, pieces, steps, rows * columns},
            new long[] {pieces * piece, piece, apart * columns, 1});
    long[] dims = {channels, across, phases, steps, layer.out()};
    Order order = new Order(dims, new long[] {4, 0, 3, 2, 1});
    return new Patches(order, all, few, moved, runs, true, length, g);
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
    long count = Math.min(few, records - from);
    Tensor these = all.narrow(0, from, count);
    if (stage != null && runs != null) {
      stage.narrow(0, 0, count).copy_(these);
      these = runs.narrow(0, 0, count);
    }
    some.narrow(0, 0, these.numel()).view(these.sizes()).copy_(these);
  }
}
