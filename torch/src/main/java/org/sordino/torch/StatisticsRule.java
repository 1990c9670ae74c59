package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Of the moving averages of a {@link BatchNorm}: how far they are from the mean and from the mean
 * squared deviation of a record's features. The derivative of the loss plays no part in it.
 *
 * @param mean the moving average of the mean, so shaped that it is broadcast
 * @param variance that of the squared deviation from it
 * @param axis of the features
 */
record StatisticsRule(String name, Tensor mean, Tensor variance, long axis) implements Rule {

  /** However little a feature seems to vary, it is not enlarged by more than ten. */
  static final double LEAST_VARIANCE = 0.01;

  @Override
  public List<String> parameters() {
    return List.of(name + ".running_mean", name + ".running_var");
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    Tensor away = mean.sub(a);
    return List.of(
        new Materialized(average(away)), new Materialized(average(variance.sub(away.square()))));
  }

  /** Over all positions of a record. */
  private Tensor average(Tensor values) {
    double positions = (double) values.numel() / (values.size(0) * values.size(axis));
    return Tensors.sumBut(values, axis).div(new org.bytedeco.pytorch.Scalar(positions));
  }
}
