package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** Sets random elements to zero during training and scales the others by 1 / (1 - rate). */
record Dropout(double rate) implements Layer {

  static Dropout read(Spec spec) {
    double rate = spec.real("rate", 0.5);
    if (!(rate >= 0 && rate < 1)) {
      throw spec.error("rate must be in [0, 1), got " + rate);
    }
    return new Dropout(rate);
  }

  @Override
  public String name() {
    return "dropout";
  }

  @Override
  public int[] output(int[] input) {
    return input;
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields("dropout", "rate", rate);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return pass.dropout(x, rate);
  }
}
