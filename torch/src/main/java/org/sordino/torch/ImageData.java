package org.sordino.torch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An image data set as stored in its files: pixels as bytes, channel by channel, and labels.
 *
 * @param source data set with its public normalization constants
 * @param train training images
 * @param test test images
 */
public record ImageData(Source source, Images train, Images test) {

  /** The supported data sets, with their customary normalization constants. */
  public enum Source {
    /** Handwritten digits. */
    MNIST("http://yann.lecun.com/exdb/mnist/", 28, 0.1307f, 0.3081f),
    /** Images of clothing in the format of MNIST. */
    FASHION_MNIST("https://github.com/zalandoresearch/fashion-mnist", 28, 0.2860f, 0.3530f),
    /** Small photographs. */
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

    /** Mean and standard deviation of every channel, alternating. */
    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
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

    /** Returns the name that the command line and the folder use. */
    public String id() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the URL of the official source. */
    public String origin() {
      return origin;
    }

    /** Returns channels, height and width of an image. */
    public int[] shape() {
      return new int[] {constants.size() / 2, side, side};
    }

    /**
     * Returns the source with this ID, or null if it is unknown.
     *
     * @param id ID such as {@code cifar-10}
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
   * A set of images.
   *
   * @param pixels image by image, channel by channel, row by row
   * @param labels one label per image
   */
  @SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
  public record Images(byte[] pixels, byte[] labels) {

    /** Returns the number of images. */
    public int size() {
      return labels.length;
    }
  }

  /** Returns the number of classes. */
  public int classes() {
    return 10;
  }

  /**
   * Returns the training images, which are normalized on access with the constants of the source.
   */
  public TorchData trainingData() {
    return data(train);
  }

  /** Returns the test images, normalized like the training images. */
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
   * @param source data set
   * @param directory directory of the files; if null, the folder {@link Source#id} in the directory
   *     given by the environment variable SORDINO_DATA, in {@code data}, or in {@code
   *     ../shared/datasets}
   * @throws IOException if a file is missing or damaged; the message contains the file, its
   *     expected content and the official source of the data
   */
  public static ImageData load(Source source, @Nullable Path directory) throws IOException {
    ImageFiles files = new ImageFiles(source, directory(source, directory));
    return source == Source.CIFAR_10 ? cifar(source, files) : idx(source, files);
  }

  /**
   * Detects the data set in a directory from its files. Returns null if there are no known files.
   */
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
      return given; // the reader reports the missing file
    }
    throw new IOException(
        source.id()
            + " must be in one of "
            + places
            + "; set SORDINO_DATA to a directory with a folder "
            + source.id()
            + ", or download it with 'sordino data get "
            + source.id()
            + "' or from "
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
