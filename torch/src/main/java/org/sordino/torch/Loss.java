package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The loss of one record. The loss of a batch is the sum of its records' losses, so that the
 * gradient of a record does not depend on the other records.
 */
public enum Loss {
  /** One output per class; targets are 0, 1, ... */
  CROSS_ENTROPY {
    @Override
    void check(Architecture architecture) {
      if (architecture.output().length != 1 || architecture.output()[0] < 2) {
        throw misfit(architecture, "one number for each of at least two classes");
      }
    }

    @Override
    Tensor each(Tensor y, Tensor targets) {
      Tensor index = targets.clamp_min(new Scalar(0.0)).clamp_max(new Scalar(y.size(1) - 1.0));
      Tensor known = index.eq(targets).logical_and(targets.floor().eq(targets));
      Tensor log = torch.log_softmax(y, 1);
      Tensor picked = log.gather(1, index.nan_to_num().to(ScalarType.Long).unsqueeze(1)).squeeze(1);
      return picked.neg().mul(valid(known, y));
    }
  },

  /** One output, the log-odds; targets are 0 and 1. */
  BINARY_LOGISTIC {
    @Override
    void check(Architecture architecture) {
      requireOne(architecture);
    }

    @Override
    Tensor each(Tensor y, Tensor targets) {
      Tensor margin = y.reshape(-1);
      Tensor known = targets.eq(new Scalar(0.0)).logical_or(targets.eq(new Scalar(1.0)));
      return torch.softplus(margin).sub(margin.mul(targets)).mul(valid(known, y));
    }
  },

  /** One output; half the squared difference from the target. */
  SQUARED_ERROR {
    @Override
    void check(Architecture architecture) {
      requireOne(architecture);
    }

    @Override
    Tensor each(Tensor y, Tensor targets) {
      return y.reshape(-1).sub(targets).square().mul(new Scalar(0.5));
    }
  };

  /**
   * Checks that the output of an architecture fits the loss.
   *
   * @throws IllegalArgumentException if it does not; the message contains the required output
   */
  abstract void check(Architecture architecture);

  /**
   * Returns the loss of each record: [B]. The loss is NaN for an invalid target, so that the record
   * is left out.
   */
  abstract Tensor each(Tensor y, Tensor targets);

  /**
   * Returns the sum of all losses in float64. If the predicted probability of the class is almost
   * 1, p - 1 has few significant digits in float32.
   */
  final Tensor sum(Tensor y, Tensor targets) {
    return each(y.to(ScalarType.Double), targets.to(ScalarType.Double)).sum();
  }

  /** Returns the number of classes; 0 for a regression. */
  final int classes(Architecture architecture) {
    return switch (this) {
      case CROSS_ENTROPY -> architecture.output()[0];
      case BINARY_LOGISTIC -> 2;
      case SQUARED_ERROR -> 0;
    };
  }

  /** Returns 1 for each valid target and NaN for each invalid one. */
  private static Tensor valid(Tensor known, Tensor y) {
    Tensor one = torch.ones(known.size(0)).to(y.scalar_type());
    return one.masked_fill_(known.logical_not(), new Scalar(Double.NaN));
  }

  private static void requireOne(Architecture architecture) {
    int[] shape = architecture.output();
    if (shape.length != 1 || shape[0] != 1) {
      throw misfit(architecture, "one number");
    }
  }

  private static IllegalArgumentException misfit(Architecture architecture, String expected) {
    return new IllegalArgumentException(
        "the last layer must output "
            + expected
            + ", got shape "
            + Shapes.text(architecture.output()));
  }
}
