package org.sordino.torch;

import java.util.Map;

/** Custom layers by the names that architectures use for them. */
record OwnLayers(Map<String, OwnLayer> byName) {

  static final OwnLayers NONE = new OwnLayers(Map.of());

  OwnLayers {
    byName = Map.copyOf(byName);
  }
}
