package org.sordino.mechanism;

/**
 * Distribution of the noise for a multiplier z over groups with bounds S_g and dimensions d_g, such
 * that together they cost as much as one sum with z (McMahan &amp; Andrew 2018, section 3). The
 * standard deviations are those of the noise on the sum; the paper gives those on the average.
 */
public enum NoiseAllocation {
  /**
   * The same standard deviation for all groups: z sqrt(sum S_g^2). With flat clipping, this is
   * plain DP-SGD.
   */
  EQUAL {
    @Override
    double[] deviations(double[] bounds, int[] dimensions, double z) {
      double squares = 0;
      for (double bound : bounds) {
        squares += bound * bound;
      }
      double[] deviations = new double[bounds.length];
      java.util.Arrays.fill(deviations, z * Math.sqrt(squares));
      return deviations;
    }
  },

  /** A standard deviation proportional to the bound: z sqrt(G) S_g, for G groups. */
  PROPORTIONAL {
    @Override
    double[] deviations(double[] bounds, int[] dimensions, double z) {
      double[] deviations = new double[bounds.length];
      for (int g = 0; g < bounds.length; g++) {
        deviations[g] = z * Math.sqrt(bounds.length) * bounds[g];
      }
      return deviations;
    }
  },

  /**
   * The same norm of the noise relative to the bound in every group: z sqrt(D / d_g) S_g, with D
   * the sum of all d_g.
   */
  DIMENSION_ADJUSTED {
    @Override
    double[] deviations(double[] bounds, int[] dimensions, double z) {
      double all = java.util.Arrays.stream(dimensions).asDoubleStream().sum();
      double[] deviations = new double[bounds.length];
      for (int g = 0; g < bounds.length; g++) {
        deviations[g] = z * Math.sqrt(all / dimensions[g]) * bounds[g];
      }
      return deviations;
    }
  };

  /** Returns the standard deviation of the noise on the sum of each group, before scaling. */
  abstract double[] deviations(double[] bounds, int[] dimensions, double z);
}
