package org.sordino.torch;

import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Weight gradients of a convolution without a stride, and no patch is written out. What lies under
 * one place of the kernel, position after position, is the image itself, moved. So the image of a
 * record is copied once for every column of the kernel, moved sideways; moved up or down it is the
 * same memory from another line on. The gradient for the place is then the product of two matrices
 * that lie in memory as they are.
 */
final class MovedImages extends Written {

  private final Convolution layer;
  private final int records;
  private final int height;
  private final int width;
  private final int channels;
  private final int rows; // of positions
  private final int columns;
  private final int lines; // height with the borders
  private final BytePointer images; // [B, height, width, C]
  private final FloatPointer derivatives; // [B, rows, columns, p]
  private final FloatPointer moved; // [kw, lines, columns, C]; borders stay zero
  private final BytePointer bytes; // of moved

  /**
   * Images and derivatives.
   *
   * @param x [B, H, W, C], contiguous
   * @param g [B, h, w, p], contiguous
   */
  MovedImages(Convolution layer, Tensor x, Tensor g) {
    super(ConvolutionRule.channelsLast(layer, x.size(3)));
    this.layer = layer;
    this.records = Math.toIntExact(x.size(0));
    this.height = Math.toIntExact(x.size(1));
    this.width = Math.toIntExact(x.size(2));
    this.channels = Math.toIntExact(x.size(3));
    this.rows = Math.toIntExact(g.size(1));
    this.columns = Math.toIntExact(g.size(2));
    this.lines = height + 2 * layer.padding()[0];
    this.images = new BytePointer(x.data_ptr());
    this.derivatives = g.data_ptr_float();
    Tensor copies = torch.zeros(layer.kernel()[1], lines, columns, channels);
    this.moved = copies.data_ptr_float();
    this.bytes = new BytePointer(copies.data_ptr());
  }

  /** Whether it is possible, and there are enough channels for a product to be fast. */
  static boolean fit(Convolution layer, long channels) {
    return layer.stride()[0] == 1 && layer.stride()[1] == 1 && channels >= 8;
  }

  @Override
  int records() {
    return records;
  }

  @Override
  int size() {
    return layer.kernel()[0] * layer.kernel()[1] * channels * layer.out();
  }

  /** Column by column of the kernel, so that a copy is still in the cache for all its products. */
  @Override
  void write(int record, FloatPointer row) {
    int p = layer.out();
    int positions = rows * columns;
    int across = layer.kernel()[1];
    long start = row.position();
    derivatives.position((long) record * positions * p);
    for (int column = 0; column < across; column++) {
      copy(record, column);
      for (int k = 0; k < layer.kernel()[0]; k++) {
        long line = (long) column * lines + (long) k * layer.dilation()[0];
        moved.position(line * columns * channels);
        row.position(start + (long) (k * across + column) * channels * p);
        Tensors.multiply(moved, channels, true, derivatives, row, channels, positions, p);
      }
    }
  }

  /** Copies an image as it lies under a column of the kernel. */
  private void copy(int record, int column) {
    int right = column * layer.dilation()[1] - layer.padding()[1];
    int from = Math.max(0, -right);
    int count = Math.min(columns, width - right) - from;
    long pixel = (long) channels * Float.BYTES;
    for (int y = 0; y < height && count > 0; y++) {
      long line = (long) column * lines + y + layer.padding()[0];
      bytes.position((line * columns + from) * pixel);
      images.position((((long) record * height + y) * width + from + right) * pixel);
      Pointer.memcpy(bytes, images, count * pixel);
    }
  }
}
