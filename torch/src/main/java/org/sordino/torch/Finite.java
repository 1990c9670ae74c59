package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Finds records with a NaN, an infinite or an absurdly large gradient and overwrites them with
 * zeros, because 0 * NaN is NaN and would spoil the sum of the others. Every record is looked at
 * and every tensor is written, whatever the values are.
 */
final class Finite {

  private Finite() {}

  /**
   * Which records must contribute nothing: those where |a| |g| of any layer is not below {@link
   * Tape#LARGEST}. For all others the squares of gradients stay within float32.
   */
  static boolean[] unusable(List<Tape.Recorded> tape, int records) {
    boolean[] unusable = new boolean[records];
    for (Tape.Recorded recorded : tape) {
      double[] inputs = lengths(recorded.a(), records);
      double[] outputs = lengths(recorded.g(), records);
      for (int i = 0; i < records; i++) {
        boolean usable =
            inputs[i] * outputs[i] < Tape.LARGEST && inputs[i] < 1e18 && outputs[i] < 1e18;
        unusable[i] |= !usable;
      }
    }
    return unusable;
  }

  private static double[] lengths(Tensor tensor, int records) {
    if (Tensors.is(tensor, ScalarType.Long)) {
      double[] ones = new double[records];
      Arrays.fill(ones, 1);
      return ones;
    }
    // Images lie in memory with channels last; in that order their numbers need no copy.
    Tensor ordered = tensor.dim() == 4 ? tensor.permute(0, 2, 3, 1) : tensor;
    return Tensors.doubles(Tensors.norms(Tensors.rows(ordered)));
  }

  static Tensor mask(boolean[] unusable) {
    byte[] bytes = new byte[unusable.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (unusable[i] ? 1 : 0);
    }
    return Tensors.of(bytes, 0, bytes.length).to(ScalarType.Bool);
  }

  /** The tensor with zeros for the discarded records, overwritten in place; in float64 if asked. */
  static Tensor cleared(Tensor tensor, Tensor discard, boolean exact) {
    if (Tensors.is(tensor, ScalarType.Long)) {
      return tensor;
    }
    long[] dims = new long[Math.toIntExact(tensor.dim())];
    Arrays.fill(dims, 1);
    dims[0] = -1;
    Tensor clean = tensor.masked_fill_(discard.view(dims), new Scalar(0.0));
    return exact ? clean.to(ScalarType.Double) : clean;
  }
}
