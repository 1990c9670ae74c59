package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The gradients of one record by several parameters, one behind the other, and sums of such rows.
 * What is measured is what is summed: rounding on the way to a row is part of the record's vector.
 * Squares are added up by the BLAS, "in double precision": OpenBLAS adds 32 of them in float32, and
 * these sums in float64. Room is made for pieces of 128, each off by gamma_136.
 */
final class Rows {

  private static final int PIECE = 128;

  private static final int LINE = 16; // numbers of a line of the cache

  private static final double ROOM = RecordGradients.SQUARES * (1 + (PIECE + 8) * 0x1p-24);

  /** Squares below 2^-149 vanish in float32. */
  private static final double UNDERFLOW = 0x1p-148;

  private List<? extends Written> gradients;
  private final int[] starts; // of the rows, and the end
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

  /** In the scope around the innermost. */
  Rows keep() {
    List.of(row, block, sum, zeros).forEach(Scopes::keep);
    return this;
  }

  /** The same sums, of which further records are to be part. */
  Rows of(List<? extends Written> others) {
    gradients = others;
    return this;
  }

  /** Writes all gradients of a record. */
  void write(int record) {
    for (int j = 0; j < gradients.size(); j++) {
      gradients.get(j).write(record, rowNumbers.position(starts[j]));
    }
  }

  /**
   * The inner product of a gradient that was last written with a parameter, in float64.
   *
   * @param theta in the order of the row
   */
  double innerProduct(int gradient, Tensor theta) {
    return Scopes.get(
        () ->
            row.narrow(0, starts[gradient], gradients.get(gradient).size())
                .to(ScalarType.Double)
                .dot(theta)
                .item_double());
  }

  /** Upper bounds on the squared norms of what was last written, one per parameter. */
  void measure(double[] squares) {
    for (int j = 0; j < gradients.size(); j++) {
      int size = gradients.get(j).size();
      FloatPointer numbers = rowNumbers.position(starts[j]);
      double square = openblas_nolapack.cblas_dsdot(size, numbers, 1, numbers, 1);
      squares[j] = (square + size * UNDERFLOW) * ROOM;
    }
  }

  /**
   * Adds what was last written, each gradient times its weight.
   *
   * @param weights one per parameter
   * @param unusable whether zeros are added instead: its numbers may not even be multiplied by
   *     zero. As much is done, so the weight is 1 then; with 0 the library would do nothing
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

  /** The sums of all that was added, each in the order of its parameter. */
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
