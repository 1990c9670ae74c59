package org.sordino.torch;

import java.util.Map;

/** Custom layers by the names that architectures use for them. */
record CustomLayers(Map<String, CustomLayer> byName) {

  static final CustomLayers NONE = new CustomLayers(Map.of());

  CustomLayers {
    byName = Map.copyOf(byName);
  }
}
