package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * Maps tokens, the integers 0, 1, ..., to vectors. Tokens outside the vocabulary are clamped to its
 * first or last token.
 */
record Embedding(String name, int vocabulary, int dimension) implements Layer {

  static Embedding read(Spec spec) {
    return new Embedding(
        spec.name("embedding"), spec.number("vocabulary"), spec.number("dimension"));
  }

  @Override
  public int[] output(int[] input) {
    if (input.length != 1) {
      throw misfit("a list of tokens", input);
    }
    int[] shape = Arrays.copyOf(input, 2);
    shape[1] = dimension;
    return shape;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    long[] dims = {vocabulary, dimension};
    return List.of(Parameter.normal(name + ".weight", 1, dims));
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields(
        "embedding", "name", name, "vocabulary", vocabulary, "dimension", dimension);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return pass.embedding(new EmbeddingRule(name + ".weight", vocabulary), x);
  }
}
