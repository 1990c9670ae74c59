package org.sordino.torch;

import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Copies between Java arrays and tensors, and a few shapes of sums. */
final class Tensors {

  static final boolean X86 = Loader.getPlatform().endsWith("x86_64");

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
   * c = a b, straight by a library, which takes less time for small matrices than libtorch's way
   * there. On x86 that is oneDNN, which libtorch computes convolutions with: it makes its kernels
   * for the processor it finds, and takes small matrices as they lie in memory. Elsewhere oneDNN
   * has no such kernels, and it is OpenBLAS.
   *
   * @param a [m, k], or [k, m] if it is to be transposed; its rows lie {@code aLine} apart
   * @param b [k, n]
   * @param c [m, n], overwritten
   */
  static void multiply(
      FloatPointer a,
      int aLine,
      boolean transposed,
      FloatPointer b,
      int bLine,
      FloatPointer c,
      int cLine,
      int m,
      int k,
      int n) {
    if (X86) {
      byte order = (byte) (transposed ? 'T' : 'N');
      int status = dnnl.dnnl_sgemm(order, (byte) 'N', m, n, k, 1, a, aLine, b, bLine, 0, c, cLine);
      if (status != dnnl.dnnl_success) {
        throw new IllegalStateException("oneDNN cannot multiply matrices: status " + status);
      }
    } else {
      openblas_nolapack.cblas_sgemm(
          openblas_nolapack.CblasRowMajor,
          transposed ? openblas_nolapack.CblasTrans : openblas_nolapack.CblasNoTrans,
          openblas_nolapack.CblasNoTrans,
          m,
          n,
          k,
          1,
          a,
          aLine,
          b,
          bLine,
          0,
          c,
          cLine);
    }
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
