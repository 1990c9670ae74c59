package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Gradients that are materialized in float32, one record at a time. A row is processed completely
 * while it is still in the cache, and there is memory for one row only. {@link Rows} does this for
 * several parameters of a network together; the methods of this class do it for one. Native memory
 * belongs to the scope in which it was allocated, so that scope must stay open while this object is
 * used.
 */
abstract class Written implements RecordGradients {

  private final Order order;
  private boolean[] discarded = {};

  /**
   * Creates gradients.
   *
   * @param order element order of a row
   */
  Written(Order order) {
    this.order = order;
  }

  abstract int records();

  /** Returns the number of elements of a gradient. */
  abstract int size();

  /** Writes the gradient of a record to a row, overwriting its content. */
  abstract void write(int record, FloatPointer row);

  /** Returns the element order of a row. */
  final Order order() {
    return order;
  }

  @Override
  public final Tensor squaredNorms() {
    Rows rows = new Rows(List.of(this));
    double[] squares = new double[records()];
    double[] one = new double[1];
    for (int i = 0; i < squares.length; i++) {
      rows.write(i);
      rows.measure(one);
      squares[i] = one[0];
    }
    return Tensors.of(squares, 0, squares.length);
  }

  @Override
  public final Tensor innerProducts(Tensor theta) {
    Rows rows = new Rows(List.of(this));
    Tensor row = order.row(theta).reshape(-1);
    double[] products = new double[records()];
    for (int i = 0; i < products.length; i++) {
      rows.write(i);
      products[i] = rows.innerProduct(0, row);
    }
    return Tensors.of(products, 0, products.length);
  }

  /** Marks records for which zeros are added instead. */
  @Override
  public final void discard(boolean[] unusable) {
    discarded = unusable;
  }

  @Override
  public final Tensor numbers(int record) {
    Tensor row = torch.empty(size());
    write(record, row.data_ptr_float());
    return row;
  }

  @Override
  public final Tensor weightedSum(Tensor weights) {
    Rows rows = new Rows(List.of(this));
    double[] w = Tensors.doubles(weights);
    for (int i = 0; i < w.length; i++) {
      rows.write(i);
      rows.add(new double[] {w[i]}, i < discarded.length && discarded[i]);
    }
    return rows.sums()[0];
  }
}
