package org.sordino.torch;

import java.util.Map;

/** The user's layers by the names under which architectures refer to them. */
record OwnLayers(Map<String, OwnLayer> byName) {

  static final OwnLayers NONE = new OwnLayers(Map.of());

  OwnLayers {
    byName = Map.copyOf(byName);
  }
}
