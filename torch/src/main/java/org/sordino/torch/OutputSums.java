package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Gradients of a bias: the derivatives of a record, summed over its positions. */
final class OutputSums extends Written {

  private final int records;
  private final int positions;
  private final int outputs;
  private final FloatPointer derivatives;
  private final FloatPointer ones;

  /**
   * Creates the gradients.
   *
   * @param g derivatives [B, T, p], contiguous
   */
  OutputSums(Tensor g) {
    super(Order.same(g.size(2)));
    this.records = Math.toIntExact(g.size(0));
    this.positions = Math.toIntExact(g.size(1));
    this.outputs = Math.toIntExact(g.size(2));
    this.derivatives = g.data_ptr_float();
    this.ones = torch.ones(g.size(1)).data_ptr_float();
  }

  @Override
  int records() {
    return records;
  }

  @Override
  int size() {
    return outputs;
  }

  @Override
  void write(int record, FloatPointer row) {
    openblas_nolapack.cblas_sgemv(
        openblas_nolapack.CblasRowMajor,
        openblas_nolapack.CblasTrans,
        positions,
        outputs,
        1,
        derivatives.position((long) record * positions * outputs),
        outputs,
        ones,
        1,
        0,
        row,
        1);
  }
}
