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

/** Copies between Java arrays and tensors, and small tensor operations. */
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
   * A matrix in memory.
   *
   * @param numbers first number
   * @param line distance between two rows as stored
   * @param transposed whether the product uses the transpose of what is stored
   */
  record Matrix(FloatPointer numbers, int line, boolean transposed) {

    /** Returns the matrix in a contiguous tensor with two axes. */
    static Matrix of(Tensor tensor, boolean transposed) {
      return new Matrix(tensor.data_ptr_float(), Math.toIntExact(tensor.size(1)), transposed);
    }
  }

  /**
   * Computes c = a b or c = c + a b by calling a library directly. On x86 the library is oneDNN,
   * which libtorch uses for convolutions. It generates kernels for the detected processor, does not
   * repack small matrices, and adds up all rows of a product in the same order, so that the result
   * for a record does not depend on its row ({@link TapeCheck}). OpenBLAS, which libtorch uses for
   * matrices, does not do that. On other platforms oneDNN has no such kernels, and OpenBLAS is
   * used.
   *
   * @param a matrix [m, k]
   * @param b matrix [k, n]
   * @param c matrix [m, n]
   * @param add whether to add to c instead of overwriting it
   */
  static void multiply(Matrix a, Matrix b, Matrix c, int m, int k, int n, boolean add) {
    float beta = add ? 1 : 0;
    if (X86) {
      int status =
          dnnl.dnnl_sgemm(
              letter(a), letter(b), m, n, k, 1, a.numbers, a.line, b.numbers, b.line, beta,
              c.numbers, c.line);
      if (status != dnnl.dnnl_success) {
        throw new IllegalStateException("oneDNN cannot multiply matrices: status " + status);
      }
    } else {
      openblas_nolapack.cblas_sgemm(
          openblas_nolapack.CblasRowMajor,
          blas(a),
          blas(b),
          m,
          n,
          k,
          1,
          a.numbers,
          a.line,
          b.numbers,
          b.line,
          beta,
          c.numbers,
          c.line);
    }
  }

  private static byte letter(Matrix matrix) {
    return (byte) (matrix.transposed ? 'T' : 'N');
  }

  private static int blas(Matrix matrix) {
    return matrix.transposed ? openblas_nolapack.CblasTrans : openblas_nolapack.CblasNoTrans;
  }

  /**
   * Multiplies the matrix of each record with the same matrix, one record at a time, so that the
   * result for a record does not depend on its place. For float64, where oneDNN has no product.
   *
   * @param records matrices [B, m, k]
   * @param matrix matrix [k, n]
   */
  static Tensor each(Tensor records, Tensor matrix) {
    long[] dims = {records.size(0), matrix.size(0), matrix.size(1)};
    return torch.bmm(records, matrix.unsqueeze(0).expand(dims));
  }

  /** Compares types; enums from native code have many instances and must be interned first. */
  static boolean is(Tensor tensor, ScalarType type) {
    return tensor.scalar_type().intern() == type;
  }

  /** Flattens all axes except the first into one. */
  static Tensor rows(Tensor tensor) {
    return tensor.reshape(tensor.size(0), -1);
  }

  /** Sums over all axes except the first and {@code axis}. */
  static Tensor sumBut(Tensor tensor, long axis) {
    long[] others = new long[Math.toIntExact(tensor.dim() - 2)];
    for (int i = 0, k = 1; i < others.length; k++) {
      if (k != axis) {
        others[i++] = k;
      }
    }
    return others.length == 0 ? tensor : tensor.sum(others);
  }

  /** Returns the Euclidean norms of the rows of a matrix, in the type of the matrix. */
  static Tensor norms(Tensor matrix) {
    long[] last = {matrix.dim() - 1};
    return torch.linalg_vector_norm(matrix, new Scalar(2.0), last, false, new ScalarTypeOptional());
  }
}
