package org.sordino.torch;

import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Of a convolution: a linear map of the patches under its kernel. */
record ConvolutionRule(Convolution layer) implements Rule {

  /** With fewer positions, patches and a matrix product beat a convolution per record. */
  private static final int FEWEST_POSITIONS = 65;

  @Override
  public List<String> parameters() {
    String weight = layer.name() + ".weight";
    return layer.bias() ? List.of(weight, layer.name() + ".bias") : List.of(weight);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    RecordGradients weights = weights(a, g);
    return layer.bias()
        ? List.of(weights, new Materialised(Tensors.sumBut(g, 1)))
        : List.of(weights);
  }

  private RecordGradients weights(Tensor a, Tensor g) {
    long positions = g.size(2) * g.size(3);
    // oneDNN has no float64; then patches do.
    if (!Tensors.is(a, ScalarType.Double) && positions >= FEWEST_POSITIONS) {
      return new Materialised(recordsAsGroups(a, g));
    }
    Tensor patches = patches(a); // [B, T, kh kw, C]
    Tensor outputs = g.permute(0, 2, 3, 1).reshape(g.size(0), positions, g.size(1)); // [B, T, p]
    if (layer.groups() > 1) {
      return inGroups(patches, outputs);
    }
    Tensor flat = patches.reshape(patches.size(0), positions, -1); // [B, T, kh kw C]
    if (positions > 1 && LinearRule.gramIsCheaper(positions, flat.size(2), outputs.size(2))) {
      return new Reordered(new SequenceProducts(flat, outputs), order(patches.size(3)));
    }
    Tensor rows = torch.bmm(outputs.transpose(1, 2), flat); // [B, p, kh kw C]
    return new Reordered(new Materialised(rows), order(patches.size(3)));
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
    return new Reordered(new Materialised(torch.cat(parts, 1)), order(in));
  }

  /**
   * All weight gradients by one convolution: with the records as groups of channels of one image,
   * the gradient of a grouped convolution has a block for each record. No patch is written out.
   */
  private Tensor recordsAsGroups(Tensor a, Tensor g) {
    long records = a.size(0);
    long in = a.size(1) / layer.groups();
    // Blocked layouts of oneDNN want channels by sixteen, and reach them from NCHW; else NHWC.
    boolean blocked = in % 16 == 0 && (layer.out() / layer.groups()) % 16 == 0;
    Tensor shape = torch.empty(records * layer.out(), in, layer.kernel()[0], layer.kernel()[1]);
    return new Tensor(
            torch
                .convolution_backward(
                    channels(g, blocked),
                    channels(a, blocked),
                    blocked ? shape : shape.contiguous(MemoryFormat.ChannelsLast),
                    new LongArrayRefOptional(),
                    Shapes.longs(layer.stride()),
                    Shapes.longs(layer.padding()),
                    Shapes.longs(layer.dilation()),
                    false,
                    new long[] {0, 0},
                    records * layer.groups(),
                    new BoolPointer(3).put(0, false).put(1, true).put(2, false))
                .get1())
        .contiguous()
        .view(records, -1);
  }

  private static Tensor channels(Tensor x, boolean blocked) {
    long all = x.size(0) * x.size(1);
    return blocked
        ? x.contiguous().view(1, all, x.size(2), x.size(3))
        : x.permute(2, 3, 0, 1).contiguous().view(1, x.size(2), x.size(3), all).permute(0, 3, 1, 2);
  }

  /** What lies under the kernel at every position, as one strided copy: [B, T, kh kw, C]. */
  private Tensor patches(Tensor a) {
    int[] pad = layer.padding();
    Tensor x = a.permute(0, 2, 3, 1).contiguous(); // [B, H, W, C]
    if (pad[0] + pad[1] > 0) {
      x = torch.constant_pad_nd(x, 0, 0, pad[1], pad[1], pad[0], pad[0]);
    }
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
