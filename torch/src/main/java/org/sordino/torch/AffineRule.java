package org.sordino.torch;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Gradient rule of y = a * weight + bias, applied per feature. The gradients are small, so they are
 * materialized.
 *
 * @param axis axis of the features; positions along all other axes share a feature's parameters
 */
record AffineRule(@Nullable String weight, @Nullable String bias, long axis) implements Rule {

  /** Value of {@code axis} if every element of a record has separate parameters. */
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
