package org.sordino.torch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * A frozen network in front of a private head: a TorchScript file trained on public data, or a
 * fixed wavelet transform. Features are computed once, and only the head is trained. The network
 * must process each record independently; this is tested on random noise before any record is read.
 */
public final class FeatureExtractor implements AutoCloseable {

  private static final int BATCH = 64;

  private final String name;
  private final UnaryOperator<Tensor> network;
  private final Runnable release;

  private FeatureExtractor(String name, UnaryOperator<Tensor> network, Runnable release) {
    this.name = name;
    this.network = network;
    this.release = release;
  }

  /**
   * Loads a file written by {@code torch.jit.save}.
   *
   * @throws IllegalArgumentException if the file is not TorchScript; the message names the file
   */
  public static FeatureExtractor load(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          file + " must be a TorchScript file, but it does not exist");
    }
    Libtorch.load();
    try {
      JitModule module = torch.load(file.toString());
      module.retainReference(); // must outlive the scope of the caller
      module.eval();
      return new FeatureExtractor(
          file.toString(),
          x -> module.forward(new IValueVector(new IValue(x))).toTensor(),
          module::releaseReference);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          file + " must be a TorchScript file; export it with torch.jit.save", e);
    }
  }

  /**
   * Returns the scattering transform (Bruna &amp; Mallat 2013): local averages of images, of the
   * moduli of their wavelet transforms, and of the moduli of a second wavelet transform of these.
   * It yields 81 numbers per channel for every square of 8 x 8 pixels. Nothing in it is learned
   * from data.
   */
  public static FeatureExtractor scattering() {
    Libtorch.load();
    return new FeatureExtractor("scattering", new Scattering(), () -> {});
  }

  /**
   * Computes the features of all records. The result has the same targets.
   *
   * @param input input shape of the network
   * @param threads number of batches that run in parallel
   * @throws IllegalArgumentException if the network does not accept that shape or mixes records
   */
  public TorchData features(TorchData data, int[] input, int threads) {
    data.requireShape(input);
    try (Workers workers = new Workers(threads)) {
      int width = width(input);
      float[] features = new float[Math.multiplyExact(data.size(), width)];
      float[] targets = new float[data.size()];
      List<Runnable> tasks = new ArrayList<>();
      for (int from = 0; from < data.size(); from += BATCH) {
        int start = from;
        tasks.add(() -> extract(data, input, start, features, width));
      }
      workers.run(tasks);
      for (int i = 0; i < targets.length; i++) {
        targets[i] = data.target(i);
      }
      return TorchData.of(features, new int[] {width}, targets);
    }
  }

  private void extract(TorchData data, int[] input, int from, float[] features, int width) {
    int[] records = new int[Math.min(BATCH, data.size() - from)];
    Arrays.setAll(records, i -> from + i);
    Scopes.run(
        () ->
            Scopes.withoutGradients(
                () -> {
                  float[] values = Tensors.floats(forward(data.inputs(records, input)));
                  System.arraycopy(values, 0, features, from * width, values.length);
                }));
  }

  private Tensor forward(Tensor x) {
    return Tensors.rows(network.apply(x));
  }

  /**
   * Determines the number of features by running the network on noise, and checks that it processes
   * records independently.
   */
  private int width(int[] input) {
    return Scopes.get(
        () -> {
          Tensor noise = torch.randn(Shapes.batch(3, input));
          Tensor together;
          Tensor alone;
          try {
            together = forward(noise);
            alone = forward(noise.narrow(0, 1, 1));
          } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                name + " must accept batches of records of shape " + Shapes.text(input), e);
          }
          boolean separate =
              together.size(0) == 3
                  && torch.allclose(together.narrow(0, 1, 1), alone, 1e-3, 1e-4, false);
          if (!separate) {
            throw new IllegalArgumentException(
                name
                    + " must process each record independently, but the features of a record"
                    + " change with the other records in its batch; export it in eval mode");
          }
          return Math.toIntExact(together.size(1));
        });
  }

  @Override
  public void close() {
    release.run();
  }
}
