package org.sordino.torch;

import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.training.RecordMetrics;

/**
 * Results of a batch besides its gradients: the loss of each example, and whether its prediction
 * was correct.
 */
final class Outcomes {

  private final int examples;
  private final double[] losses;
  private final float[] named;
  private final float[] targets;

  /**
   * Computes the results.
   *
   * @param examples number of examples; further rows are padding
   */
  Outcomes(Loss loss, Tensor outputs, Tensor targets, int examples) {
    this.examples = examples;
    Tensor y = outputs.detach().to(ScalarType.Double);
    this.losses = Tensors.doubles(loss.each(y, targets.to(ScalarType.Double)));
    this.targets = Tensors.floats(targets);
    this.named = Tensors.floats(named(loss, y));
  }

  /** Returns the predicted classes; NaN for a regression. */
  private static Tensor named(Loss loss, Tensor y) {
    return switch (loss) {
      case CROSS_ENTROPY -> y.argmax(new LongOptional(1), false);
      case BINARY_LOGISTIC -> y.reshape(-1).gt(new Scalar(0.0));
      case SQUARED_ERROR -> torch.full_like(y.reshape(-1), new Scalar(Double.NaN));
    };
  }

  double loss(int example) {
    return losses[example];
  }

  /** Returns the predicted class of an example; NaN for a regression. */
  double named(int example) {
    return named[example];
  }

  /** Adds the outcomes to the metrics; every example is a record. */
  void note(RecordMetrics metrics) {
    for (int i = 0; i < examples; i++) {
      metrics.note(i, 1, losses[i], named[i] == targets[i], targets[i]);
    }
  }

  /**
   * Adds the outcomes to the metrics; all examples belong to one record of {@code 1 / share}
   * examples.
   */
  void note(RecordMetrics metrics, double share) {
    for (int i = 0; i < examples; i++) {
      metrics.note(0, share, losses[i], named[i] == targets[i], targets[i]);
    }
  }
}
