package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Gradient rule of a convolution, treated as a linear map of the patches under its kernel. */
record ConvolutionRule(Convolution layer) implements Rule {

  /** Permutation from [p, kh, kw, c] to [p, c, kh, kw]. */
  private static final long[] FROM_PHWC = {0, 3, 1, 2};

  @Override
  public List<String> parameters() {
    String weight = layer.name() + ".weight";
    return layer.bias() ? List.of(weight, layer.name() + ".bias") : List.of(weight);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    long positions = g.size(2) * g.size(3);
    Tensor outputs = g.permute(0, 2, 3, 1).reshape(g.size(0), positions, g.size(1)).contiguous();
    RecordGradients weights = weights(a, g, outputs);
    if (!layer.bias()) {
      return List.of(weights);
    }
    return List.of(
        weights,
        Tensors.is(g, ScalarType.Double)
            ? new Materialized(outputs.sum(1))
            : new OutputSums(outputs));
  }

  private RecordGradients weights(Tensor a, Tensor g, Tensor outputs) {
    long positions = outputs.size(1);
    long channels = a.size(1);
    long places = (long) layer.kernel()[0] * layer.kernel()[1];
    boolean gram =
        positions > 1
            && layer.groups() == 1
            && LinearRule.gramIsCheaper(positions, places * channels, layer.out());
    // Products in float64 are too rare to justify a separate implementation.
    if (gram || layer.groups() > 1 || Tensors.is(a, ScalarType.Double)) {
      return byPatches(a, outputs, gram);
    }
    Tensor images = a.permute(0, 2, 3, 1);
    Tensor derivatives = outputs.view(g.size(0), g.size(2), g.size(3), -1);
    if (Patches.fitPlanes(layer) && g.size(3) > layer.kernel()[1] * channels) {
      int[] pad = layer.padding();
      Tensor x = framed(a.contiguous(), pad[1], pad[1], pad[0], pad[0]);
      return Patches.ofPlanes(layer, x, derivatives);
    }
    return Patches.ofPixels(layer, images, derivatives);
  }

  private RecordGradients byPatches(Tensor a, Tensor outputs, boolean gram) {
    long b = a.size(0);
    long positions = outputs.size(1);
    long places = (long) layer.kernel()[0] * layer.kernel()[1];
    Tensor patches = patches(a).reshape(b, positions, places, a.size(1)); // [B, T, kh kw, C]
    if (layer.groups() > 1) {
      return inGroups(patches, outputs);
    }
    Tensor flat = patches.reshape(b, positions, -1); // [B, T, kh kw C]
    RecordGradients found =
        gram
            ? new SequenceProducts(flat, outputs)
            : new Materialized(torch.bmm(outputs.transpose(1, 2), flat)); // [B, p, kh kw C]
    return new Reordered(found, outputsFirst(layer, a.size(1)));
  }

  /** Returns the element order of products of outputs and patches. */
  static Order outputsFirst(Convolution layer, long channels) {
    long[] dims = {layer.out(), layer.kernel()[0], layer.kernel()[1], channels};
    return new Order(dims, FROM_PHWC);
  }

  private RecordGradients inGroups(Tensor patches, Tensor outputs) {
    long b = patches.size(0);
    long t = patches.size(1);
    long in = patches.size(3) / layer.groups();
    long out = outputs.size(2) / layer.groups();
    TensorVector parts = new TensorVector();
    for (long k = 0; k < layer.groups(); k++) {
      Tensor a = patches.narrow(3, k * in, in).reshape(b, t, -1);
      Tensor g = outputs.narrow(2, k * out, out);
      parts.push_back(torch.bmm(g.transpose(1, 2), a)); // [B, p / groups, kh kw C / groups]
    }
    return new Reordered(new Materialized(torch.cat(parts, 1)), outputsFirst(layer, in));
  }

  /** Returns the patches under the kernel as a view: [B, h, w, kh, kw, C]. */
  private Tensor patches(Tensor a) {
    int[] pad = layer.padding();
    return windows(layer, framed(a.permute(0, 2, 3, 1), 0, 0, pad[1], pad[1], pad[0], pad[0]));
  }

  /**
   * Returns the patches of images that are already padded, as a view.
   *
   * @param x images [B, H, W, C], contiguous
   */
  static Tensor windows(Convolution layer, Tensor x) {
    long height = x.size(1);
    long width = x.size(2);
    long c = x.size(3);
    int[] k = layer.kernel();
    int[] s = layer.stride();
    int[] d = layer.dilation();
    long rows = Shapes.windows((int) height, k[0], s[0], 0, d[0]);
    long columns = Shapes.windows((int) width, k[1], s[1], 0, d[1]);
    long line = width * c;
    long[] dims = {x.size(0), rows, columns, k[0], k[1], c};
    long[] strides = {height * line, s[0] * line, s[1] * c, d[0] * line, d[1] * c, 1};
    return torch.as_strided(x, dims, strides);
  }

  private Tensor framed(Tensor x, long... borders) {
    boolean any = layer.padding()[0] + layer.padding()[1] > 0;
    return (any ? torch.constant_pad_nd(x, borders) : x).contiguous();
  }
}
