package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.sordino.torch.Tensors.Matrix;

/**
 * Weight gradients of a convolution as products of patches and derivatives. Patches are copied for
 * a few records at a time, so that they are still in the cache when they are used. Copying is
 * faster if the runs of adjacent numbers are longer.
 */
final class Patches extends Written {

  private static final long CACHED = 1 << 17; // numbers

  /**
   * How the patches of a record are copied and laid out.
   *
   * @param all images of all records, or a view of them with overlapping patches
   * @param few number of records copied at a time
   * @param stage target of the first copy, if there are two copies
   * @param runs view of {@code stage} that the second copy reads
   * @param numbers numbers per record after copying
   * @param products number of matrix products: one per row of the kernel, or one in total
   * @param apart distance between the patches of two products, in numbers
   * @param planar whether the layout is [length, T], with kernel places before positions, instead
   *     of [T, length]
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
  private int first = -1; // index of the group of records that is copied

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
   * Creates patches of pixels with all their channels. Images are padded during the copy. If the
   * vertical stride is 1, only the patches under one row of the kernel are copied: the patches of
   * the next row are in the same memory, starting at a later line, and each row has a separate
   * product.
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

  /** Returns whether {@link #ofPlanes} supports the layer. */
  static boolean fitPlanes(Convolution layer) {
    int stride = layer.stride()[0];
    return stride == 1 || layer.dilation()[0] == 1 && layer.kernel()[0] % stride == 0;
  }

  /**
   * Creates patches of channel planes, for images with few channels. The values under one place of
   * the kernel, over all positions, form a shifted plane. A plane is therefore first copied once
   * per column of the kernel, shifted horizontally; with a stride of s, every s-th line is copied,
   * and the lines between them form separate planes. A vertical shift is the same memory starting
   * at another line. The second copy therefore reads one run per plane and shift, with one number
   * per position.
   *
   * @param x images [B, C, H, W], padded and contiguous
   * @param g derivatives [B, h, w, p], contiguous
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
          new Matrix(patches, positions, false),
          new Matrix(derivatives, outputs, false),
          new Matrix(row, outputs, false),
          length,
          positions,
          outputs,
          false);
      return;
    }
    for (int k = 0; k < source.products; k++) {
      patches.position(from + (long) k * source.apart);
      row.position(start + (long) k * length);
      int line = source.products * length;
      Tensors.multiply(
          new Matrix(derivatives, outputs, true),
          new Matrix(patches, length, false),
          new Matrix(row, line, false),
          outputs,
          positions,
          length,
          false);
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
