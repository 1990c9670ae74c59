package org.sordino.torch;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Of y = a * weight + bias, feature by feature; small, so gradients are written out.
 *
 * @param axis the axis of the features; all other positions share a feature's parameters
 */
record AffineRule(@Nullable String weight, @Nullable String bias, long axis) implements Rule {

  /** Every number of a record has parameters of its own. */
  static final long EVERY = -1;

  @Override
  public List<String> parameters() {
    List<String> names = new ArrayList<>();
    if (weight != null) {
      names.add(weight);
    }
    if (bias != null) {
      names.add(bias);
    }
    return names;
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    List<RecordGradients> gradients = new ArrayList<>();
    if (weight != null) {
      gradients.add(new Materialized(reduce(g.mul(a))));
    }
    if (bias != null) {
      gradients.add(new Materialized(reduce(g)));
    }
    return gradients;
  }

  private Tensor reduce(Tensor values) {
    return axis == EVERY ? values : Tensors.sumBut(values, axis);
  }
}
