package org.sordino.mechanism;

/**
 * How a noise multiplier z is spread over groups with bounds S_g and dimensions d_g, so that
 * together they cost as much as one sum with z (McMahan &amp; Andrew 2018, section 3). The
 * deviations are those of the noise on the sum; the paper's are on the average.
 */
public enum NoiseAllocation {
  /** The same deviation everywhere: z sqrt(sum S_g^2). With flat clipping, plain DP-SGD. */
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

  /** In proportion to the bound: z sqrt(G) S_g. */
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

  /** The same noise norm relative to the bound in every group: z sqrt(D / d_g) S_g. */
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

  /** The deviation of each group's noise on the sum, before scales. */
  abstract double[] deviations(double[] bounds, int[] dimensions, double z);
}
