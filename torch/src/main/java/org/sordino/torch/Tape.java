package org.sordino.torch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * What went into and came out of every map that owns parameters. Parameters require no gradient;
 * the outputs on the tape do. One call of autograd then yields the derivatives by all outputs and
 * computes no parameter gradient at all: that is left to the rules.
 */
final class Tape {

  /** Beyond, a record counts as not finite: squares must stay within float32. */
  static final float LARGEST = 1e15f;

  /** A map and its uses, several in a recurrent layer. */
  private record Entry(Rule rule, List<Tensor> inputs, List<Integer> outputs) {}

  /** A layer in plain Java, which autograd cannot look through. */
  private record Cut(OwnRule rule, Tensor x, int output) {}

  /**
   * A map with what the rule needs.
   *
   * @param a the inputs, with an axis for the uses where there are several
   * @param g the derivatives by the outputs
   */
  record Recorded(Rule rule, Tensor a, Tensor g) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final List<Cut> cuts = new ArrayList<>();
  private final List<Tensor> outputs = new ArrayList<>();

  /** Tapes one use of a map. */
  Tensor add(Rule rule, Tensor a, Tensor y) {
    // A leaf unless something before it is on the tape.
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

  /** Tapes a layer in plain Java; y has no history. */
  Tensor cut(OwnRule rule, Tensor x, Tensor y) {
    cuts.add(new Cut(rule, x, outputs.size()));
    return add(rule, x, y);
  }

  /** Goes back from the sum of the losses. */
  List<Recorded> backward(Tensor loss) {
    @Nullable Tensor[] gradients = new Tensor[outputs.size()];
    accumulate(loss, null, gradients);
    for (int i = cuts.size() - 1; i >= 0; i--) {
      Cut cut = cuts.get(i);
      Tensor g = gradients[cut.output];
      if (g != null && cut.x.requires_grad()) {
        accumulate(cut.x, cut.rule.backward(cut.x.detach(), g), gradients);
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

  /** Adds the derivatives of {@code from} by all outputs. */
  private void accumulate(Tensor from, @Nullable Tensor seed, @Nullable Tensor[] gradients) {
    TensorVector by = new TensorVector(outputs.toArray(new Tensor[0]));
    TensorVector seeds = seed == null ? new TensorVector() : new TensorVector(seed);
    boolean keep = !cuts.isEmpty();
    TensorVector found =
        torch.grad(new TensorVector(from), by, seeds, new BoolOptional(keep), false, true);
    for (int i = 0; i < gradients.length; i++) {
      Tensor g = new Tensor(found.get(i)); // get() is a reference into the vector
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
