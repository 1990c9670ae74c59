package org.sordino.torch;

import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/** One forward pass of a batch. Applies the maps that have parameters, and tapes them. */
final class Pass {

  private final Map<String, Tensor> weights;
  private final @Nullable Tape tape;
  private final @Nullable Masks masks;

  /**
   * Creates a pass.
   *
   * @param weights parameter tensors by name
   * @param tape records the maps if gradients are needed, otherwise null
   * @param masks dropout masks for training, otherwise null
   */
  Pass(Map<String, Tensor> weights, @Nullable Tape tape, @Nullable Masks masks) {
    this.weights = weights;
    this.tape = tape;
    this.masks = masks;
  }

  Tensor weight(String name) {
    return Objects.requireNonNull(weights.get(name), name);
  }

  private TensorOptional optional(@Nullable String name) {
    return name == null ? new TensorOptional() : new TensorOptional(weight(name));
  }

  Tensor linear(LinearRule rule, Tensor x) {
    Tensor weight = weight(rule.weight());
    Tensor bias = rule.bias() == null ? null : weight(rule.bias());
    if (tape == null) {
      return torch.linear(x, weight, optional(rule.bias()));
    }
    Tensor y = LinearRule.forward(x.detach(), weight, bias);
    return tape.cut(rule, x, y, (input, g) -> LinearRule.backward(g, weight));
  }

  Tensor convolution(ConvolutionRule rule, Tensor input) {
    Convolution layer = rule.layer();
    boolean oneAxis = layer.axes() == 1;
    Tensor x = oneAxis ? input.unsqueeze(2) : input; // [B, C, H, W]
    Tensor weight = weight(layer.name() + ".weight");
    Tensor y =
        torch.conv2d(
            x,
            oneAxis ? weight.unsqueeze(2) : weight,
            optional(layer.bias() ? layer.name() + ".bias" : null),
            Shapes.longs(layer.stride()),
            Shapes.longs(layer.padding()),
            Shapes.longs(layer.dilation()),
            layer.groups());
    Tensor out = taped(rule, x, y);
    return oneAxis ? out.squeeze(2) : out;
  }

  Tensor embedding(EmbeddingRule rule, Tensor x) {
    Tensor tokens =
        x.nan_to_num()
            .clamp_min(new Scalar(0.0))
            .clamp_max(new Scalar(rule.vocabulary() - 1.0))
            .to(ScalarType.Long);
    return taped(rule, tokens, torch.embedding(weight(rule.weight()), tokens));
  }

  Tensor affine(AffineRule rule, Tensor x) {
    Tensor y = x;
    if (rule.weight() != null) {
      y = y.mul(along(weight(rule.weight()), x, rule.axis()));
    }
    if (rule.bias() != null) {
      y = y.add(along(weight(rule.bias()), x, rule.axis()));
    }
    return taped(rule, x, y);
  }

  /** Returns (x - mean) / standard deviation, with the moving averages of a layer. */
  Tensor normalize(String layer, Tensor x, long axis, double epsilon) {
    Tensor mean = along(weight(layer + ".running_mean"), x, axis);
    Tensor variance = along(weight(layer + ".running_var"), x, axis);
    Tensor deviation =
        variance
            .clamp_min(new Scalar(StatisticsRule.LEAST_VARIANCE))
            .add(new Scalar(epsilon))
            .sqrt();
    return taped(new StatisticsRule(layer, mean, variance, axis), x, x.sub(mean).div(deviation));
  }

  /** Reshapes a per-feature parameter so that it is broadcast over all other axes. */
  private static Tensor along(Tensor weight, Tensor x, long axis) {
    if (axis == AffineRule.EVERY) {
      return weight;
    }
    long[] dims = new long[Math.toIntExact(x.dim())];
    java.util.Arrays.fill(dims, 1);
    dims[Math.toIntExact(axis)] = -1;
    return weight.view(dims);
  }

  Tensor dropout(Tensor x, double rate) {
    return masks == null || rate == 0 ? x : x.mul(masks.next(x, rate));
  }

  Tensor own(Own layer, Tensor x) {
    CustomRule rule = CustomRule.of(layer, this, x);
    Tensor y = rule.forward(x);
    return tape == null ? y : tape.cut(rule, x, y, rule::backward);
  }

  private Tensor taped(Rule rule, Tensor a, Tensor y) {
    return tape == null ? y : tape.add(rule, a, y);
  }
}
