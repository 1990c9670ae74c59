package org.sordino.torch;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A custom layer in an architecture.
 *
 * @param kind name under which the layer was registered
 */
record Own(String name, String kind, CustomLayer layer) implements Layer {

  static Own read(Spec spec, CustomLayers own) {
    String kind = spec.text("layer");
    CustomLayer layer = own.byName().get(kind);
    if (layer == null) {
      throw spec.error(
          "layer must be the name of a registered custom layer, got "
              + kind
              + "; add the layer to the map of custom layers, which contains "
              + own.byName().keySet());
    }
    return new Own(spec.name(kind), kind, layer);
  }

  @Override
  public int[] output(int[] input) {
    return layer.output(input.clone());
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    return layer.parameters(input.clone()).stream()
        .map(t -> Parameter.uniform(name + "." + t.name(), t.halfWidth(), t.dims().clone()))
        .toList();
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields("own", "name", name, "layer", kind);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return pass.own(this, x);
  }
}
