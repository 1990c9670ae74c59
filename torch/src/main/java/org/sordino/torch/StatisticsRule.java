package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Rule of the moving averages of a {@link BatchNorm}: computes their differences from the mean and
 * the mean squared deviation of a record's features. The derivative of the loss is not used.
 *
 * @param mean moving average of the mean, shaped for broadcasting
 * @param variance moving average of the squared deviation from that mean, shaped for broadcasting
 * @param axis axis of the features
 */
record StatisticsRule(String name, Tensor mean, Tensor variance, long axis) implements Rule {

  /**
   * Lower limit of the variance of a feature, so that normalization enlarges no feature more than
   * tenfold.
   */
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

  /** Averages over all positions of a record. */
  private Tensor average(Tensor values) {
    double positions = (double) values.numel() / (values.size(0) * values.size(axis));
    return Tensors.sumBut(values, axis).div(new org.bytedeco.pytorch.Scalar(positions));
  }
}
