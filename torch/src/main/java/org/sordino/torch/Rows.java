package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The gradients of one record with respect to several parameters, concatenated, and sums of such
 * rows. The measured numbers are the summed numbers, so rounding in the computation of a row is
 * part of the record's vector. The BLAS specifies double precision for the sum of squares, but
 * OpenBLAS sums 32 of them in float32, and only these sums in float64. The margin covers pieces of
 * 128, each with an error of up to gamma_136.
 */
final class Rows {

  private static final int PIECE = 128;

  private static final int LINE = 16; // numbers per cache line

  private static final double ROOM = RecordGradients.SQUARES * (1 + (PIECE + 8) * 0x1p-24);

  /** Squares below 2^-149 underflow in float32. */
  private static final double UNDERFLOW = 0x1p-148;

  private List<? extends Written> gradients;
  private final int[] starts; // start of each gradient in the row, and the end
  private final Tensor row;
  private final Tensor block;
  private final Tensor sum; // of full blocks
  private final FloatPointer rowNumbers;
  private final FloatPointer blockNumbers;
  private final Tensor zeros;
  private final FloatPointer zeroNumbers;
  private int inBlock;

  Rows(List<? extends Written> gradients) {
    this.gradients = gradients;
    this.starts = new int[gradients.size() + 1];
    for (int j = 0; j < gradients.size(); j++) {
      int length = (gradients.get(j).size() + LINE - 1) / LINE * LINE;
      starts[j + 1] = Math.addExact(starts[j], length);
    }
    int end = starts[gradients.size()];
    this.row = torch.empty(end);
    this.block = torch.zeros(end);
    this.sum = torch.zeros(end);
    this.zeros = torch.zeros(end);
    this.rowNumbers = row.data_ptr_float();
    this.blockNumbers = block.data_ptr_float();
    this.zeroNumbers = zeros.data_ptr_float();
  }

  /** Moves the tensors to the scope around the innermost one. */
  Rows keep() {
    List.of(row, block, sum, zeros).forEach(Scopes::keep);
    return this;
  }

  /** Returns the same sums, to which further records can be added. */
  Rows of(List<? extends Written> others) {
    gradients = others;
    return this;
  }

  /** Writes all gradients of a record to the row. */
  void write(int record) {
    for (int j = 0; j < gradients.size(); j++) {
      gradients.get(j).write(record, rowNumbers.position(starts[j]));
    }
  }

  /**
   * Returns the inner product of a gradient in the row with a parameter, in float64.
   *
   * @param theta parameter in the order of the row
   */
  double innerProduct(int gradient, Tensor theta) {
    return Scopes.get(
        () ->
            row.narrow(0, starts[gradient], gradients.get(gradient).size())
                .to(ScalarType.Double)
                .dot(theta)
                .item_double());
  }

  /** Computes upper bounds on the squared norms of the gradients in the row, one per parameter. */
  void measure(double[] squares) {
    for (int j = 0; j < gradients.size(); j++) {
      int size = gradients.get(j).size();
      FloatPointer numbers = rowNumbers.position(starts[j]);
      double square = openblas_nolapack.cblas_dsdot(size, numbers, 1, numbers, 1);
      squares[j] = (square + size * UNDERFLOW) * ROOM;
    }
  }

  /**
   * Adds the row, each gradient times its weight.
   *
   * @param weights one weight per parameter
   * @param unusable whether to add zeros instead, because not even a product of the row with zero
   *     is safe. The weight is then 1, so that the amount of work is the same; with a weight of 0
   *     the library would skip the work
   */
  void add(double[] weights, boolean unusable) {
    if (inBlock == RecordGradients.BLOCK) {
      endBlock();
    }
    inBlock++;
    FloatPointer from = unusable ? zeroNumbers : rowNumbers;
    for (int j = 0; j < gradients.size(); j++) {
      openblas_nolapack.cblas_saxpy(
          gradients.get(j).size(),
          unusable ? 1 : (float) weights[j],
          from.position(starts[j]),
          1,
          blockNumbers.position(starts[j]),
          1);
    }
  }

  private void endBlock() {
    sum.add_(block);
    block.zero_();
    inBlock = 0;
  }

  /** Returns the sums of all added rows, each in the order of its parameter. */
  Tensor[] sums() {
    endBlock();
    Tensor[] sums = new Tensor[gradients.size()];
    for (int j = 0; j < sums.length; j++) {
      Tensor part = sum.narrow(0, starts[j], gradients.get(j).size());
      sums[j] = gradients.get(j).order().parameter(part);
    }
    return sums;
  }
}
