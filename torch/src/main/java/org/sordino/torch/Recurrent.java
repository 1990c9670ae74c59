package org.sordino.torch;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * LSTM and GRU, unrolled over time, with the parameters of PyTorch. The recurrent weight is used
 * once per time step. On the tape, these uses are the positions of one sequence, so the norm of its
 * gradient includes the cross terms.
 *
 * @param all whether the output contains the states of all time steps or only the last one
 */
record Recurrent(String name, boolean lstm, int hidden, boolean all) implements Layer {

  static Recurrent read(Spec spec, String type) {
    return new Recurrent(
        spec.name(type), type.equals("lstm"), spec.number("hidden"), spec.flag("sequence", false));
  }

  @Override
  public int[] output(int[] input) {
    if (input.length != 2) {
      throw misfit("a sequence of shape Txd", input);
    }
    return all ? new int[] {input[0], hidden} : new int[] {hidden};
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    double width = 1 / Math.sqrt(hidden);
    int gates = (lstm ? 4 : 3) * hidden;
    return List.of(
        Parameter.uniform(name + ".weight_ih", width, gates, input[1]),
        Parameter.uniform(name + ".bias_ih", width, gates),
        Parameter.uniform(name + ".weight_hh", width, gates, hidden),
        Parameter.uniform(name + ".bias_hh", width, gates));
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields(lstm ? "lstm" : "gru", "name", name, "hidden", hidden, "sequence", all);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    LinearRule recurrent = new LinearRule(name + ".weight_hh", name + ".bias_hh");
    Tensor inputs = // [B, T, gates]
        pass.linear(new LinearRule(name + ".weight_ih", name + ".bias_ih"), x);
    Tensor h = torch.zeros(x.size(0), hidden).to(x.scalar_type());
    Tensor c = h;
    TensorVector states = new TensorVector();
    for (long t = 0; t < x.size(1); t++) {
      Tensor i = inputs.select(1, t);
      Tensor r = pass.linear(recurrent, h);
      if (lstm) {
        Tensor sum = i.add(r);
        c = gate(sum, 1).sigmoid().mul(c).add(gate(sum, 0).sigmoid().mul(gate(sum, 2).tanh()));
        h = gate(sum, 3).sigmoid().mul(c.tanh());
      } else {
        Tensor reset = gate(i, 0).add(gate(r, 0)).sigmoid();
        Tensor update = gate(i, 1).add(gate(r, 1)).sigmoid();
        Tensor fresh = gate(i, 2).add(reset.mul(gate(r, 2))).tanh();
        h = fresh.add(update.mul(h.sub(fresh)));
      }
      states.push_back(h);
    }
    return all ? torch.stack(states, 1) : h;
  }

  private Tensor gate(Tensor gates, int index) {
    return gates.narrow(1, (long) index * hidden, hidden);
  }
}
