package org.sordino.torch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Multi-head self-attention: four linear maps around a softmax. The softmax has no parameters and
 * therefore no gradient rule.
 */
record Attention(String name, int heads, boolean causal) implements Layer {

  private static final List<String> MAPS = List.of(".query", ".key", ".value", ".out");

  static Attention read(Spec spec) {
    return new Attention(spec.name("attention"), spec.number("heads"), spec.flag("causal", false));
  }

  @Override
  public int[] output(int[] input) {
    if (input.length != 2 || input[1] % heads != 0) {
      throw misfit("a sequence of shape Txd with d divisible by its " + heads + " heads", input);
    }
    return input;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    int d = input[1];
    List<Parameter> parameters = new ArrayList<>();
    for (String map : MAPS) {
      // Half-width of Xavier initialization of the three stacked maps, as in PyTorch.
      double width = map.equals(".out") ? 1 / Math.sqrt(d) : Math.sqrt(6.0 / (4.0 * d));
      parameters.add(Parameter.uniform(name + map + ".weight", width, d, d));
      parameters.add(Parameter.constant(name + map + ".bias", 0, d));
    }
    return parameters;
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields("attention", "name", name, "heads", heads, "causal", causal);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    long b = x.size(0);
    long t = x.size(1);
    long d = x.size(2);
    Tensor q = heads(map(".query", x, pass), b, t, d); // [B, heads, T, d / heads]
    Tensor k = heads(map(".key", x, pass), b, t, d);
    Tensor v = heads(map(".value", x, pass), b, t, d);
    Tensor scores =
        torch.matmul(q, k.transpose(2, 3)).mul(new Scalar(1 / Math.sqrt(d / (double) heads)));
    if (causal) {
      Tensor later = torch.ones(t, t).triu(1).to(torch.ScalarType.Bool);
      scores = scores.masked_fill(later, new Scalar(Double.NEGATIVE_INFINITY));
    }
    Tensor mixed = torch.matmul(torch.softmax(scores, -1), v); // [B, heads, T, d / heads]
    return map(".out", mixed.transpose(1, 2).reshape(b, t, d), pass);
  }

  private Tensor map(String map, Tensor x, Pass pass) {
    return pass.linear(new LinearRule(name + map + ".weight", name + map + ".bias"), x);
  }

  private Tensor heads(Tensor y, long b, long t, long d) {
    return y.reshape(b, t, heads, d / heads).transpose(1, 2);
  }
}
