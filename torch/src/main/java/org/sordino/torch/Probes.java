package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Artificial records for testing whether what is computed for one record of a batch depends on its
 * row or on the other rows. The first {@link #COUNT} records are the probes; the others are their
 * companions: zero, huge, not a number, denormal and random.
 */
final class Probes {

  static final int COUNT = 3;

  private static final float[] SCALES = {1, 0.01f, 100};

  private static final float[] COMPANIONS = {0, 1e30f, Float.NaN, 1e-40f};

  private static final int RECORDS = COUNT + COMPANIONS.length + 1;

  private final TorchData data;

  /**
   * Creates the records.
   *
   * @param shape shape of a record
   * @param tokens size of the vocabulary if records consist of tokens, otherwise 0
   * @param classes number of classes of the targets; 0 for any number
   */
  Probes(int[] shape, int tokens, int classes) {
    Random random = new Random(3);
    int width = Shapes.size(shape);
    float[] features = new float[Math.multiplyExact(RECORDS, width)];
    float[] targets = new float[RECORDS];
    for (int record = 0; record < RECORDS; record++) {
      for (int i = 0; i < width; i++) {
        features[record * width + i] = value(record, tokens, random);
      }
      targets[record] = classes == 0 ? (float) random.nextGaussian() : random.nextInt(classes);
    }
    this.data = TorchData.of(features, shape, targets);
  }

  private static float value(int record, int tokens, Random random) {
    if (record < COUNT) {
      return tokens > 0 ? random.nextInt(tokens) : SCALES[record] * (float) random.nextGaussian();
    }
    return record == RECORDS - 1
        ? 1e4f * (float) random.nextGaussian()
        : COMPANIONS[record - COUNT];
  }

  TorchData data() {
    return data;
  }

  /**
   * Returns batches that contain a probe: in all rows, in all even rows, in all odd rows, and alone
   * in the first row. If a batch has one row, the probe follows after other records.
   *
   * @param rows number of rows of a batch
   */
  static List<int[]> batches(int probe, int rows) {
    int[] everywhere = new int[rows];
    Arrays.fill(everywhere, probe);
    List<int[]> batches = new ArrayList<>(amongCompanions(probe, rows));
    batches.add(0, everywhere);
    batches.add(new int[] {probe});
    return batches;
  }

  /** Returns two batches that together have a probe in every row, among companions. */
  static List<int[]> amongCompanions(int probe, int rows) {
    return List.of(among(probe, 0, rows), among(probe, 1, rows));
  }

  private static int[] among(int probe, int start, int rows) {
    int[] records = new int[rows];
    Arrays.setAll(records, i -> i % 2 == start ? probe : COUNT + i / 2 % (RECORDS - COUNT));
    return records;
  }

  /** Returns a batch of probes in turn. */
  static int[] inTurn(int rows) {
    int[] records = new int[rows];
    Arrays.setAll(records, i -> i % COUNT);
    return records;
  }
}
