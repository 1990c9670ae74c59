package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/** Gradients whose element order differs from that of the parameter. */
record Reordered(RecordGradients gradients, Order order) implements RecordGradients {

  @Override
  public Tensor squaredNorms() {
    return gradients.squaredNorms();
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    return gradients.innerProducts(order.row(theta).reshape(order.dims()[0], -1));
  }

  @Override
  public void discard(boolean[] unusable) {
    gradients.discard(unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    return order.parameter(gradients.weightedSum(weights));
  }

  @Override
  public Tensor numbers(int record) {
    return gradients.numbers(record);
  }
}
