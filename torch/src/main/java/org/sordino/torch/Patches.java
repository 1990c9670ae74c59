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

  private static final long CACHED = 1 << 17; // numbers

  /**
   * What a record's patches look like.
   *
   * @param all images, or a view of them in which patches overlap, one record after the other
   * @param few so many records are copied at a time
   * @param stage where they are copied first, if there are two copies
   * @param runs what the second copy takes from there
   * @param numbers of a record, when all is copied
   * @param products one for each row of the kernel, or one for all of it
   * @param apart how many numbers the patches of two products are apart
   * @param planar whether a place of the kernel comes before the positions: [length, T], else [T,
   *     length]
   */
  private record Source(
      Tensor all,
      int few,
      @Nullable Tensor stage,
      @Nullable Tensor runs,
      int numbers,
      int products,
      int apart,
      boolean planar) {}

  private final Source source;
  private final int records;
  private final int positions;
  private final int length; // of a patch, for one product
  private final int outputs;
  private final Tensor some; // patches of a few records
  private final FloatPointer patches;
  private final FloatPointer derivatives;
  private int first = -1; // of those that are copied

  private Patches(Order order, Source source, int length, Tensor g) {
    super(order);
    this.source = source;
    this.records = Math.toIntExact(g.size(0));
    this.positions = Math.toIntExact(g.size(1) * g.size(2));
    this.length = length;
    this.outputs = Math.toIntExact(g.size(3));
    this.some = torch.empty((long) source.few * source.numbers);
    this.patches = some.data_ptr_float();
    this.derivatives = g.data_ptr_float();
  }

  private static int few(Tensor g, int numbers) {
    return (int) Math.max(1, Math.min(g.size(0), CACHED / numbers));
  }

  /**
   * Patches of pixels with all their channels. Images get their borders on the way. Without a
   * stride downwards it is enough to copy what lies under one row of the kernel: for the next row
   * it is the same memory from another line on, and there is a product for each.
   *
   * @param x [B, H, W, C]
   * @param g [B, h, w, p], contiguous
   */
  static Patches ofPixels(Convolution layer, Tensor x, Tensor g) {
    int channels = Math.toIntExact(x.size(3));
    boolean byRow = layer.stride()[0] == 1;
    Convolution window = byRow ? layer.oneRow() : layer;
    int up = layer.padding()[0];
    int left = layer.padding()[1];
    int lines = Math.toIntExact(byRow ? x.size(1) + 2L * up : g.size(1));
    int length = channels * window.kernel()[0] * window.kernel()[1];
    int line = Math.toIntExact(g.size(2)) * length;
    int few = few(g, lines * line);
    Tensor all = x;
    Tensor stage = null;
    Tensor runs = null;
    if (up + left == 0) {
      all = ConvolutionRule.windows(window, x.contiguous());
    } else {
      Tensor framed = torch.zeros(few, x.size(1) + 2L * up, x.size(2) + 2L * left, channels);
      stage = framed.narrow(1, up, x.size(1)).narrow(2, left, x.size(2));
      runs = ConvolutionRule.windows(window, framed);
    }
    int products = layer.kernel()[0] / window.kernel()[0];
    int apart = layer.dilation()[0] * line;
    Source source = new Source(all, few, stage, runs, lines * line, products, apart, false);
    return new Patches(ConvolutionRule.outputsFirst(layer, channels), source, length, g);
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
    int numbers = Math.toIntExact(rows * columns * length);
    int few = few(g, numbers);
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
    return new Patches(order, new Source(all, few, moved, runs, numbers, 1, 0, true), length, g);
  }

  @Override
  int records() {
    return records;
  }

  @Override
  int size() {
    return source.products * length * outputs;
  }

  @Override
  void write(int record, FloatPointer row) {
    if (record / source.few != first) {
      first = record / source.few;
      Scopes.run(this::copy);
    }
    long start = row.position();
    long from = (long) (record % source.few) * source.numbers;
    derivatives.position((long) record * positions * outputs);
    if (source.planar) {
      patches.position(from);
      Tensors.multiply(
          patches,
          positions,
          false,
          derivatives,
          outputs,
          row,
          outputs,
          length,
          positions,
          outputs);
      return;
    }
    for (int k = 0; k < source.products; k++) {
      patches.position(from + (long) k * source.apart);
      row.position(start + (long) k * length);
      int line = source.products * length;
      Tensors.multiply(
          derivatives, outputs, true, patches, length, row, line, outputs, positions, length);
    }
  }

  private void copy() {
    long from = (long) first * source.few;
    long count = Math.min(source.few, records - from);
    Tensor these = source.all.narrow(0, from, count);
    if (source.stage != null && source.runs != null) {
      source.stage.narrow(0, 0, count).copy_(these);
      these = source.runs.narrow(0, 0, count);
    }
    some.narrow(0, 0, these.numel()).view(these.sizes()).copy_(these);
  }
}
