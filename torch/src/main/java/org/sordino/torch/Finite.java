package org.sordino.torch;

import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Overwrites records whose values must not reach a sum. */
final class Finite {

  private Finite() {}

  /**
   * Overwrites the chosen records with zeros. For every other record, the same number of zeros is
   * written to scratch memory, so that neither the operations nor their duration reveal how many
   * records are chosen.
   *
   * @param chosen one element for each of the first records; the others stay as they are
   */
  static void clear(Tensor tensor, boolean[] chosen) {
    if (tensor.is_contiguous()) {
      long bytes = tensor.numel() / tensor.size(0) * tensor.element_size();
      BytePointer records = new BytePointer(tensor.data_ptr());
      BytePointer elsewhere = new BytePointer(torch.empty(bytes / 4 + 1).data_ptr());
      for (int i = 0; i < chosen.length; i++) {
        Pointer.memset(chosen[i] ? records.position(i * bytes) : elsewhere, 0, bytes);
      }
    } else {
      byte[] marks = new byte[chosen.length];
      for (int i = 0; i < marks.length; i++) {
        marks[i] = (byte) (chosen[i] ? 1 : 0);
      }
      long[] dims = new long[Math.toIntExact(tensor.dim())];
      java.util.Arrays.fill(dims, 1);
      dims[0] = -1;
      Tensor mask = Tensors.of(marks, 0, chosen.length).to(ScalarType.Bool);
      tensor.narrow(0, 0, chosen.length).masked_fill_(mask.view(dims), new Scalar(0.0));
    }
  }
}
