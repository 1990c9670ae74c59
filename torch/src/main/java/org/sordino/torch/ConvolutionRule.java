package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Of a convolution: a linear map of the patches under its kernel. */
record ConvolutionRule(Convolution layer) implements Rule {

  /** To [p, c, kh, kw] from [kh, kw, c, p]. */
  private static final long[] FROM_HWC = {3, 2, 0, 1};

  /** And from [p, kh, kw, c]. */
  private static final long[] FROM_PHWC = {0, 3, 1, 2};

  @Override
  public List<String> parameters() {
    String weight = layer.name() + ".weight";
    return layer.bias() ? List.of(weight, layer.name() + ".bias") : List.of(weight);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    RecordGradients weights = weights(a, g);
    return layer.bias()
        ? List.of(weights, new Materialised(g.permute(0, 2, 3, 1).sum(1, 2)))
        : List.of(weights);
  }

  private RecordGradients weights(Tensor a, Tensor g) {
    long positions = g.size(2) * g.size(3);
    long channels = a.size(1);
    long places = (long) layer.kernel()[0] * layer.kernel()[1];
    boolean gram =
        positions > 1
            && layer.groups() == 1
            && LinearRule.gramIsCheaper(positions, places * channels, layer.out());
    // Products of float64 are rare enough to have no way of their own.
    if (gram || layer.groups() > 1 || Tensors.is(a, ScalarType.Double)) {
      return byPatches(a, g, positions, gram);
    }
    if (MovedImages.fit(layer, channels, g.size(3))) {
      MovedImages images = new MovedImages(layer, padded(a), g);
      RecordGradients found =
          PatchProducts.pay(images, layer.out()) ? new PatchProducts(images) : images.written();
      return new Reordered(found, dims(channels), FROM_HWC);
    }
    // The patches are one strided copy; the longer its runs of adjacent numbers, the faster.
    return layer.stride()[1] == 1 && g.size(3) > layer.kernel()[1] * channels
        ? planar(a, g)
        : new Reordered(products(patches(a), false, g), dims(channels), FROM_HWC);
  }

  private long[] dims(long channels) {
    return new long[] {layer.kernel()[0], layer.kernel()[1], channels, layer.out()};
  }

  private RecordGradients byPatches(Tensor a, Tensor g, long positions, boolean gram) {
    Tensor patches = patches(a); // [B, T, kh kw, C]
    Tensor outputs = g.permute(0, 2, 3, 1).reshape(g.size(0), positions, g.size(1)); // [B, T, p]
    if (layer.groups() > 1) {
      return inGroups(patches, outputs);
    }
    Tensor flat = patches.reshape(patches.size(0), positions, -1); // [B, T, kh kw C]
    RecordGradients found =
        gram
            ? new SequenceProducts(flat, outputs)
            : new Materialised(torch.bmm(outputs.transpose(1, 2), flat)); // [B, p, kh kw C]
    return new Reordered(found, order(patches.size(3)), FROM_PHWC);
  }

  private long[] order(long channels) {
    return new long[] {layer.out(), layer.kernel()[0], layer.kernel()[1], channels};
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
    Materialised all = new Materialised(torch.cat(parts, 1));
    return new Reordered(all, order(in), FROM_PHWC);
  }

  /** The same from planes of channels. */
  private RecordGradients planar(Tensor a, Tensor g) {
    int[] pad = layer.padding();
    Tensor x = torch.constant_pad_nd(a.contiguous(), pad[1], pad[1], pad[0], pad[0]);
    int[] k = layer.kernel();
    int[] d = layer.dilation();
    long channels = x.size(1);
    long line = x.size(3);
    long plane = x.size(2) * line;
    long[] dims = {x.size(0), channels, k[0], k[1], g.size(2), g.size(3)};
    long[] strides = {
      channels * plane, plane, d[0] * line, d[1], layer.stride()[0] * line, layer.stride()[1]
    };
    Tensor patches = torch.as_strided(x.contiguous(), dims, strides); // [B, C, kh, kw, h, w]
    return new Reordered(
        products(patches, true, g),
        new long[] {channels, k[0], k[1], layer.out()},
        new long[] {3, 0, 1, 2});
  }

  /** A product of patches and outputs for each record: [D, p]. */
  private Materialised products(Tensor patches, boolean planar, Tensor g) {
    Tensor left = patches.contiguous();
    Tensor right = g.permute(0, 2, 3, 1).contiguous(); // [B, T, p]
    int p = layer.out();
    int positions = Math.toIntExact(g.size(2) * g.size(3));
    int d = Math.toIntExact(left.numel() / left.size(0) / positions);
    Tensor rows = torch.empty(g.size(0), (long) d * p);
    FloatPointer inputs = left.data_ptr_float();
    FloatPointer outputs = right.data_ptr_float();
    FloatPointer row = rows.data_ptr_float();
    return Materialised.written(
        rows,
        i -> {
          inputs.position((long) i * positions * d);
          outputs.position((long) i * positions * p);
          row.position((long) i * d * p);
          Tensors.multiply(inputs, planar ? positions : d, !planar, outputs, row, d, positions, p);
        });
  }

  /** [B, H, W, C] with its border of zeros. */
  private Tensor padded(Tensor a) {
    int[] pad = layer.padding();
    Tensor x = a.permute(0, 2, 3, 1);
    return pad[0] + pad[1] > 0
        ? torch.constant_pad_nd(x, 0, 0, pad[1], pad[1], pad[0], pad[0]).contiguous()
        : x.contiguous();
  }

  /** What lies under the kernel at every position, as one strided copy: [B, T, kh kw, C]. */
  private Tensor patches(Tensor a) {
    Tensor x = padded(a);
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
    return torch
        .as_strided(x, dims, strides)
        .reshape(x.size(0), rows * columns, (long) k[0] * k[1], c);
  }
}
