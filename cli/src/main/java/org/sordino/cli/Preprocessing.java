package org.sordino.cli;

import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.PrivateQuery;

/**
 * What is done to inputs before a model is trained on them. A query to all records, asked with
 * noise before the first step, finds the numbers for it.
 *
 * @param normalised whether every channel gets mean 0 and deviation 1
 * @param directions on how many principal directions inputs are projected; 0 for not at all
 */
record Preprocessing(boolean normalised, int directions) {

  static final Preprocessing AS_THEY_ARE = new Preprocessing(false, 0);

  static Preprocessing of(Map<String, @Nullable Object> json) {
    return new Preprocessing(
        Boolean.TRUE.equals(json.get("normalise")),
        json.get("pca") instanceof Number count ? count.intValue() : 0);
  }

  void addTo(Map<String, @Nullable Object> json) {
    if (normalised) {
      json.put("normalise", true);
    }
    if (directions > 0) {
      json.put("pca", (long) directions);
    }
  }

  boolean areChanged() {
    return normalised || directions > 0;
  }

  /** How many numbers the model gets for an input of this width. */
  int width(int width) {
    if (directions > width) {
      throw Numbers.bad(
          "--pca",
          "at most the number of inputs, " + width,
          Integer.toString(directions),
          "give fewer directions");
    }
    return directions > 0 ? directions : width;
  }

  /**
   * What is asked before training: nothing, or one query.
   *
   * @param noise the multiplier for it
   */
  List<PrivateQuery> queries(int channels, int width, DoubleSupplier noise) {
    if (normalised) {
      return List.of(ChannelStatistics.query(channels, noise.getAsDouble()));
    }
    return directions > 0
        ? List.of(PrincipalDirections.query(width, noise.getAsDouble()))
        : List.of();
  }
}
