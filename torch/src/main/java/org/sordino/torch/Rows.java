package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/**
 * The gradients of one record by several parameters, one behind the other, and sums of such rows.
 * What is measured is what is summed: rounding on the way to a row is part of the record's vector.
 * The norm of a row is found from those of pieces of 128 numbers, each off by gamma_136 in float32,
 * and the sum over pieces in float64.
 */
final class Rows {

  private static final int PIECE = 128;

  private static final double ROOM = RecordGradients.SQUARES * (1 + (PIECE + 8) * 0x1p-24);

  /** Squares below 2^-149 vanish in float32. */
  private static final double UNDERFLOW = PIECE * 0x1p-148;

  private static final long[] LAST = {1};

  private final Scalar two = new Scalar(2.0);
  private final ScalarTypeOptional sameType = new ScalarTypeOptional();
  private final List<? extends Written> gradients;
  private final int[] starts; // of the rows, and the end; each a whole number of pieces
  private final Tensor row; // what lies between the rows stays zero
  private final Tensor pieces; // the same numbers
  private final Tensor norms;
  private final float[] lengths;
  private final Tensor block;
  private @Nullable Tensor sum; // of full blocks
  private final FloatPointer normNumbers;
  private final FloatPointer rowNumbers;
  private final FloatPointer blockNumbers;
  private final FloatPointer zeros;
  private int inBlock;

  Rows(List<? extends Written> gradients) {
    this.gradients = gradients;
    this.starts = new int[gradients.size() + 1];
    for (int j = 0; j < gradients.size(); j++) {
      int length = (gradients.get(j).size() + PIECE - 1) / PIECE * PIECE;
      starts[j + 1] = Math.addExact(starts[j], length);
    }
    int end = starts[gradients.size()];
    this.row = torch.empty(end);
    this.pieces = row.view(-1, PIECE);
    this.norms = torch.empty(end / PIECE);
    this.lengths = new float[end / PIECE];
    this.block = torch.zeros(end);
    for (int j = 0; j < gradients.size(); j++) {
      int used = starts[j] + gradients.get(j).size();
      row.narrow(0, used, starts[j + 1] - used).zero_();
    }
    this.normNumbers = norms.data_ptr_float();
    this.rowNumbers = row.data_ptr_float();
    this.blockNumbers = block.data_ptr_float();
    this.zeros = torch.zeros(end).data_ptr_float();
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
    torch.linalg_vector_norm_out(norms, pieces, two, LAST, false, sameType);
    normNumbers.get(lengths);
    for (int j = 0; j < gradients.size(); j++) {
      double square = 0;
      for (int k = starts[j] / PIECE; k < starts[j + 1] / PIECE; k++) {
        square += (double) lengths[k] * lengths[k] + UNDERFLOW;
      }
      squares[j] = square * ROOM;
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
      sum = total();
      block.zero_();
      inBlock = 0;
    }
    inBlock++;
    FloatPointer from = unusable ? zeros : rowNumbers;
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

  private Tensor total() {
    return sum == null ? block.clone() : sum.add(block);
  }

  /** The sums of all that was added, each in the order of its parameter. */
  Tensor[] sums() {
    Tensor total = total();
    Tensor[] sums = new Tensor[gradients.size()];
    for (int j = 0; j < sums.length; j++) {
      Tensor part = total.narrow(0, starts[j], gradients.get(j).size());
      sums[j] = gradients.get(j).order().parameter(part);
    }
    return sums;
  }
}
