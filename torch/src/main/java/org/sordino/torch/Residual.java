package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A residual block: body(x) + shortcut(x).
 *
 * @param shortcut layers of the shortcut; empty for the identity
 */
record Residual(String name, Layers body, Layers shortcut) implements Layer {

  static Residual read(Spec spec, CustomLayers own) {
    return new Residual(
        spec.name("residual"),
        Layers.read(spec.layers("body"), own),
        Layers.read(spec.layers("shortcut"), own));
  }

  @Override
  public int[] output(int[] input) {
    int[] out = body.output(input);
    int[] beside = shortcut.output(input);
    if (!Arrays.equals(out, beside)) {
      throw misfit(
          "body and shortcut with the same output shape, not "
              + Shapes.text(out)
              + " and "
              + Shapes.text(beside)
              + " (add a conv2d with kernel 1 to the shortcut)",
          input);
    }
    return out;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    List<Parameter> parameters = new ArrayList<>(body.parameters(input));
    parameters.addAll(shortcut.parameters(input));
    return parameters;
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> map = new LinkedHashMap<>(Layer.fields("residual", "name", name));
    map.put("body", body.json());
    if (!shortcut.list().isEmpty()) {
      map.put("shortcut", shortcut.json());
    }
    return map;
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return body.forward(x, pass).add(shortcut.forward(x, pass));
  }
}
