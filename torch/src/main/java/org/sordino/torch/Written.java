package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;

/**
 * Gradients that are written out in float32, one record at a time: all that is done with a row
 * happens while it is still in the cache, and there is memory for one. What {@link Rows} does for
 * the layers of a network together, the methods here do for one of them. Native memory is held by
 * the scope in which it was made, so a scope must be open for as long as this is used.
 */
abstract class Written implements RecordGradients {

  private final Order order;
  private boolean[] discarded = {};

  /**
   * Gradients.
   *
   * @param order of a row
   */
  Written(Order order) {
    this.order = order;
  }

  abstract int records();

  /** How many numbers a gradient has. */
  abstract int size();

  /** Writes the gradient of a record to a row, over whatever is there. */
  abstract void write(int record, FloatPointer row);

  /** How a row is ordered. */
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

  /** Zeros are added in their place. */
  @Override
  public final void discard(boolean[] unusable) {
    discarded = unusable;
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
