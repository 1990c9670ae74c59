package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;

/**
 * Weight gradients of a convolution without a stride, record by record, and no patch is written
 * out. What lies under one place of the kernel, position after position, is the image itself,
 * moved: with W the width of the padded image, position (y, x) is pixel y W + x from where that
 * place begins. Let the derivatives have W columns too, the last ones zero, and the gradient for
 * the place is the product of two matrices that lie in memory as they are.
 */
final class MovedImages {

  private final Convolution layer;
  private final Tensor x; // [B, H, W, C]
  private final Tensor g; // [B, h, W, p]
  private final int rows; // h
  private final int columns; // w, before columns were added
  private final FloatPointer image;
  private final FloatPointer derivatives;

  /**
   * Images and derivatives.
   *
   * @param x [B, H, W, C], padded
   * @param g [B, p, h, w]
   */
  MovedImages(Convolution layer, Tensor x, Tensor g) {
    this.layer = layer;
    this.x = x;
    this.rows = Math.toIntExact(g.size(2));
    this.columns = Math.toIntExact(g.size(3));
    long more = x.size(2) - columns;
    this.g = torch.constant_pad_nd(g.permute(0, 2, 3, 1), 0, 0, 0, more).contiguous();
    this.image = this.x.data_ptr_float();
    this.derivatives = this.g.data_ptr_float();
  }

  /**
   * Whether it pays: there are enough channels for a product to be fast, and fewer than half as
   * many columns are added as there are.
   */
  static boolean fit(Convolution layer, long channels, long columns) {
    int reach = layer.dilation()[1] * (layer.kernel()[1] - 1);
    return layer.stride()[0] == 1
        && layer.stride()[1] == 1
        && channels >= 8
        && 2L * reach <= columns;
  }

  int records() {
    return Math.toIntExact(x.size(0));
  }

  int channels() {
    return Math.toIntExact(x.size(3));
  }

  int positions() {
    return rows * columns;
  }

  int places() {
    return layer.kernel()[0] * layer.kernel()[1];
  }

  /** How many numbers a gradient has. */
  long size() {
    return (long) places() * channels() * layer.out();
  }

  /** Writes the gradient of a record, [kh, kw, C, p], to {@code at} numbers from the beginning. */
  void write(int record, FloatPointer gradients, long at) {
    long width = x.size(2);
    int c = channels();
    int p = layer.out();
    // Without the zeros at the end: behind them lies the next record.
    int used = Math.toIntExact((rows - 1) * width + columns);
    derivatives.position(record * rows * width * p);
    for (int place = 0; place < places(); place++) {
      image.position((record * x.size(1) * width + start(place)) * c);
      gradients.position(at + (long) place * c * p);
      Tensors.multiply(image, c, true, derivatives, gradients, c, used, p);
    }
  }

  /** All gradients. */
  Materialised written() {
    Tensor gradients = torch.empty(x.size(0), size());
    FloatPointer numbers = gradients.data_ptr_float();
    return Materialised.written(gradients, i -> write(i, numbers, i * size()));
  }

  /** The first pixel under a place of the kernel. */
  private long start(int place) {
    int across = layer.kernel()[1];
    int[] d = layer.dilation();
    return place / across * d[0] * x.size(2) + (long) (place % across) * d[1];
  }

  /** The pixels themselves: [B, H W, C]. */
  Tensor pixels() {
    return x.reshape(x.size(0), -1, x.size(3));
  }

  /** The derivatives by the outputs: [B, T, p]. */
  Tensor outputs() {
    return g.narrow(2, 0, columns).reshape(g.size(0), positions(), -1);
  }

  /**
   * Inner products of the patches at all pairs of positions: those of the pixels, summed over the
   * places of the kernel.
   *
   * @param pixels inner products of all pairs of pixels, [B, H W, H W]
   * @return [B, T, T]
   */
  Tensor patches(Tensor pixels) {
    long height = x.size(1);
    long width = x.size(2);
    Tensor pairs = pixels.view(x.size(0), height, width, height, width);
    long[] dims = {x.size(0), rows, columns, rows, columns};
    Tensor sum = torch.zeros(dims, new TensorOptions(pixels.scalar_type()));
    for (int place = 0; place < places(); place++) {
      long down = start(place) / width;
      long right = start(place) % width;
      sum.add_(
          pairs
              .narrow(1, down, rows)
              .narrow(2, right, columns)
              .narrow(3, down, rows)
              .narrow(4, right, columns));
    }
    return sum.view(x.size(0), positions(), positions());
  }

  void discard(boolean[] unusable) {
    Finite.clear(x, unusable);
    Finite.clear(g, unusable);
  }
}
