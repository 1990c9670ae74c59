package org.sordino.torch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * The inputs and outputs of every map that has parameters. Parameters do not require gradients; the
 * taped outputs do. One call to autograd then computes the derivatives with respect to all outputs,
 * but no parameter gradients. The rules compute those.
 */
final class Tape {

  /** A map and its uses; a recurrent layer uses a map several times. */
  private record Entry(Rule rule, List<Tensor> inputs, List<Integer> outputs) {}

  /** A map that autograd does not differentiate. */
  private record Cut(BinaryOperator<Tensor> backward, Tensor x, int output) {}

  /**
   * A map with the arguments of its rule.
   *
   * @param a inputs, with an axis for the uses if there are several
   * @param g derivatives with respect to the outputs
   */
  record Recorded(Rule rule, Tensor a, Tensor g) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final List<Cut> cuts = new ArrayList<>();
  private final List<Tensor> outputs = new ArrayList<>();

  /** Tapes one use of a map. */
  Tensor add(Rule rule, Tensor a, Tensor y) {
    // The output is a leaf unless it depends on an earlier output on the tape.
    Tensor out = y.requires_grad() ? y : y.set_requires_grad(true);
    Entry entry =
        entries.computeIfAbsent(
            rule.parameters().get(0),
            name -> new Entry(rule, new ArrayList<>(), new ArrayList<>()));
    entry.inputs.add(a.detach());
    entry.outputs.add(outputs.size());
    outputs.add(out);
    return out;
  }

  /**
   * Tapes one use of a map that autograd does not differentiate; y has no autograd history.
   *
   * @param backward returns the derivative with respect to x, given x and the derivative with
   *     respect to y
   */
  Tensor cut(Rule rule, Tensor x, Tensor y, BinaryOperator<Tensor> backward) {
    cuts.add(new Cut(backward, x, outputs.size()));
    return add(rule, x, y);
  }

  /** Computes the derivatives of the sum of the losses with respect to all taped outputs. */
  List<Recorded> backward(Tensor loss) {
    @Nullable Tensor[] gradients = new Tensor[outputs.size()];
    List<Cut> open = cuts.stream().filter(cut -> cut.x.requires_grad()).toList();
    accumulate(loss, null, gradients, outputs.size(), !open.isEmpty());
    for (int i = open.size() - 1; i >= 0; i--) {
      Cut cut = open.get(i);
      Tensor g = gradients[cut.output];
      if (g != null) {
        accumulate(cut.x, cut.backward.apply(cut.x.detach(), g), gradients, cut.output, i > 0);
      }
    }
    List<Recorded> recorded = new ArrayList<>();
    for (Entry entry : entries.values()) {
      recorded.add(
          new Recorded(
              entry.rule,
              stacked(entry.inputs),
              stacked(entry.outputs.stream().map(i -> gradient(gradients, i)).toList())));
    }
    return recorded;
  }

  private Tensor gradient(@Nullable Tensor[] gradients, int output) {
    Tensor g = gradients[output];
    return g == null ? torch.zeros_like(outputs.get(output)).detach() : g;
  }

  /**
   * Adds the derivatives of {@code from} with respect to the outputs on which it may depend.
   *
   * @param count number of outputs taped before {@code from}
   * @param keep whether parts of the graph may be needed again; if not, memory is freed on the way
   */
  private void accumulate(
      Tensor from, @Nullable Tensor seed, @Nullable Tensor[] gradients, int count, boolean keep) {
    TensorVector by = new TensorVector(outputs.subList(0, count).toArray(new Tensor[0]));
    TensorVector seeds = seed == null ? new TensorVector() : new TensorVector(seed);
    TensorVector found =
        torch.grad(new TensorVector(from), by, seeds, new BoolOptional(keep), false, true);
    for (int i = 0; i < count; i++) {
      Tensor g = new Tensor(found.get(i)); // get() returns a reference into the vector
      if (g.defined()) {
        Tensor before = gradients[i];
        gradients[i] = before == null ? g : before.add(g);
      }
    }
  }

  private static Tensor stacked(List<Tensor> uses) {
    return uses.size() == 1
        ? uses.get(0)
        : torch.stack(new TensorVector(uses.toArray(new Tensor[0])), 1);
  }
}
