package org.sordino.torch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An image data set as it lies in its files: pixels as bytes, channel by channel, and labels.
 *
 * @param source which one, with its public constants
 * @param train the training images
 * @param test the test images
 */
public record ImageData(Source source, Images train, Images test) {

  /** Data sets that are known, with the constants that everybody normalizes them with. */
  public enum Source {
    /** Handwritten digits. */
    MNIST("http://yann.lecun.com/exdb/mnist/", 28, 0.1307f, 0.3081f),
    /** Articles of clothing in the format of MNIST. */
    FASHION_MNIST("https://github.com/zalandoresearch/fashion-mnist", 28, 0.2860f, 0.3530f),
    /** Tiny photographs. */
    CIFAR_10(
        "https://www.cs.toronto.edu/~kriz/cifar.html",
        32,
        0.4914f,
        0.2470f,
        0.4822f,
        0.2435f,
        0.4465f,
        0.2616f);

    private final String origin;
    private final int side;

    /** Mean and deviation of every channel, in turns. */
    @SuppressWarnings("ImmutableEnumChecker") // of List.of
    private final List<Float> constants;

    Source(String origin, int side, Float... constants) {
      this.origin = origin;
      this.side = side;
      this.constants = List.of(constants);
    }

    private float[] constants(int first) {
      float[] values = new float[constants.size() / 2];
      for (int c = 0; c < values.length; c++) {
        values[c] = constants.get(2 * c + first);
      }
      return values;
    }

    /** What the command line calls it, and its folder. */
    public String id() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Where it officially comes from. */
    public String origin() {
      return origin;
    }

    /** Channels, height, width. */
    public int[] shape() {
      return new int[] {constants.size() / 2, side, side};
    }

    /**
     * The source with this name, or null.
     *
     * @param id such as {@code cifar-10}
     */
    public static @Nullable Source of(String id) {
      for (Source source : values()) {
        if (source.id().equals(id)) {
          return source;
        }
      }
      return null;
    }
  }

  /**
   * Some images.
   *
   * @param pixels image by image, channel by channel, row by row
   * @param labels one per image
   */
  @SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
  public record Images(byte[] pixels, byte[] labels) {

    /** How many there are. */
    public int size() {
      return labels.length;
    }
  }

  /** How many classes there are. */
  public int classes() {
    return 10;
  }

  /** The training images, normalized by the source's constants when they are used. */
  public TorchData trainingData() {
    return data(train);
  }

  /** The test images. */
  public TorchData testData() {
    return data(test);
  }

  private TorchData data(Images images) {
    float[] targets = new float[images.size()];
    for (int i = 0; i < targets.length; i++) {
      targets[i] = images.labels()[i];
    }
    return TorchData.images(
        images.pixels(), source.shape(), targets, source.constants(0), source.constants(1));
  }

  /**
   * Reads a data set. Files may be plain or compressed with gzip.
   *
   * @param source which one
   * @param directory where it lies; if null, the folder {@link Source#id} in the directory that the
   *     environment variable SORDINO_DATA names, in {@code data}, or in {@code ../shared/datasets}
   * @throws IOException naming the file, what was expected and where the data comes from
   */
  public static ImageData load(Source source, @Nullable Path directory) throws IOException {
    ImageFiles files = new ImageFiles(source, directory(source, directory));
    return source == Source.CIFAR_10 ? cifar(source, files) : idx(source, files);
  }

  /** Which data set a directory holds, told by its files; or null. */
  public static @Nullable Source detect(Path directory) {
    for (Source source : List.of(Source.CIFAR_10, Source.MNIST)) {
      if (new ImageFiles(source, directory).exists(firstFile(source))) {
        boolean fashion = directory.toString().toLowerCase(Locale.ROOT).contains("fashion");
        return source == Source.MNIST && fashion ? Source.FASHION_MNIST : source;
      }
    }
    return null;
  }

  private static String firstFile(Source source) {
    return source == Source.CIFAR_10 ? "data_batch_1.bin" : "train-images-idx3-ubyte";
  }

  private static Path directory(Source source, @Nullable Path given) throws IOException {
    List<Path> places = new ArrayList<>();
    if (given != null) {
      places.add(given);
      places.add(given.resolve(source.id()));
    } else {
      String environment = System.getenv("SORDINO_DATA");
      if (environment != null) {
        places.add(Path.of(environment, source.id()));
      }
      places.add(Path.of("data", source.id()));
      places.add(Path.of("..", "shared", "datasets", source.id()));
    }
    for (Path place : places) {
      if (new ImageFiles(source, place).exists(firstFile(source))) {
        return place;
      }
    }
    if (given != null && Files.isDirectory(given)) {
      return given; // the reader names the file that is missing
    }
    throw new IOException(
        source.id()
            + " must lie in one of "
            + places
            + " (set SORDINO_DATA to a directory that has a folder "
            + source.id()
            + "); get it with 'sordino data get "
            + source.id()
            + "', or from "
            + source.origin());
  }

  private static ImageData idx(Source source, ImageFiles files) throws IOException {
    return new ImageData(source, files.idx("train", 60_000), files.idx("t10k", 10_000));
  }

  private static ImageData cifar(Source source, ImageFiles files) throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      names.add("data_batch_" + i + ".bin");
    }
    return new ImageData(source, files.cifar(names), files.cifar(List.of("test_batch.bin")));
  }
}
