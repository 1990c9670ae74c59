package org.sordino.torch;

import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Copies between Java arrays and tensors, and a few shapes of sums. */
final class Tensors {

  private Tensors() {}

  static Tensor of(float[] values, int offset, long... dims) {
    Tensor tensor = torch.empty(dims);
    tensor.data_ptr_float().put(values, offset, Math.toIntExact(tensor.numel()));
    return tensor;
  }

  static Tensor of(double[] values, int offset, long... dims) {
    Tensor tensor = empty(ScalarType.Double, dims);
    tensor.data_ptr_double().put(values, offset, Math.toIntExact(tensor.numel()));
    return tensor;
  }

  static Tensor of(byte[] values, int offset, long... dims) {
    Tensor tensor = empty(ScalarType.Byte, dims);
    tensor.data_ptr_byte().put(values, offset, Math.toIntExact(tensor.numel()));
    return tensor;
  }

  static Tensor of(long[] values, long... dims) {
    Tensor tensor = empty(ScalarType.Long, dims);
    tensor.data_ptr_long().put(values, 0, Math.toIntExact(tensor.numel()));
    return tensor;
  }

  static Tensor empty(ScalarType type, long... dims) {
    return torch.empty(
        dims, new TensorOptions(type), new org.bytedeco.pytorch.MemoryFormatOptional());
  }

  static float[] narrow(double[] values) {
    float[] narrow = new float[values.length];
    for (int i = 0; i < narrow.length; i++) {
      narrow[i] = (float) values[i];
    }
    return narrow;
  }

  static float[] floats(Tensor tensor) {
    Tensor plain = tensor.to(ScalarType.Float).contiguous();
    float[] values = new float[Math.toIntExact(plain.numel())];
    plain.data_ptr_float().get(values);
    return values;
  }

  static double[] doubles(Tensor tensor) {
    Tensor plain = tensor.to(ScalarType.Double).contiguous();
    double[] values = new double[Math.toIntExact(plain.numel())];
    plain.data_ptr_double().get(values);
    return values;
  }

  /**
   * c = a b, straight by the library that libtorch would call, which takes less time for small
   * matrices. Where that works on copies, it first writes zeros to c, and does so more slowly than
   * the C library.
   *
   * @param a [m, k], or [k, m] if it is to be transposed; its rows lie {@code line} apart
   * @param b [k, n]
   * @param c [m, n], overwritten
   */
  static void multiply(
      FloatPointer a,
      int line,
      boolean transposed,
      FloatPointer b,
      FloatPointer c,
      int m,
      int k,
      int n) {
    boolean zeros = !Libtorch.multipliesInPlace();
    if (zeros) {
      // Its position counts bytes.
      Pointer bytes = new BytePointer(c).position(c.position() * Float.BYTES);
      Pointer.memset(bytes, 0, (long) m * n * Float.BYTES);
    }
    openblas_nolapack.cblas_sgemm(
        openblas_nolapack.CblasRowMajor,
        transposed ? openblas_nolapack.CblasTrans : openblas_nolapack.CblasNoTrans,
        openblas_nolapack.CblasNoTrans,
        m,
        n,
        k,
        1,
        a,
        line,
        b,
        n,
        zeros ? 1 : 0,
        c,
        n);
  }

  /** Of enums that come from native code there are many instances. */
  static boolean is(Tensor tensor, ScalarType type) {
    return tensor.scalar_type().intern() == type;
  }

  /** All axes but the first as one. */
  static Tensor rows(Tensor tensor) {
    return tensor.reshape(tensor.size(0), -1);
  }

  /** The sum over all positions but the first and {@code axis}. */
  static Tensor sumBut(Tensor tensor, long axis) {
    long[] others = new long[Math.toIntExact(tensor.dim() - 2)];
    for (int i = 0, k = 1; i < others.length; k++) {
      if (k != axis) {
        others[i++] = k;
      }
    }
    return others.length == 0 ? tensor : tensor.sum(others);
  }

  /** Euclidean norms of the rows of a matrix, in the type of the matrix. */
  static Tensor norms(Tensor matrix) {
    long[] last = {matrix.dim() - 1};
    return torch.linalg_vector_norm(matrix, new Scalar(2.0), last, false, new ScalarTypeOptional());
  }
}
