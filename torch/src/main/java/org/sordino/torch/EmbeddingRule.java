package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Gradient rule of an embedding: y_t is the row of token t. */
record EmbeddingRule(String weight, long vocabulary) implements Rule {

  @Override
  public List<String> parameters() {
    return List.of(weight);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    return List.of(new EmbeddingRows(a, g, vocabulary));
  }
}
