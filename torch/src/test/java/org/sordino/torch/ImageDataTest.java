package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageDataTest {

  @TempDir Path directory;

  private static byte[] idxImages(int magic, int count, int pixels) {
    return ByteBuffer.allocate(16 + pixels)
        .putInt(magic)
        .putInt(count)
        .putInt(28)
        .putInt(28)
        .array();
  }

  private static byte[] idxLabels(int count) {
    return ByteBuffer.allocate(8 + count).putInt(0x801).putInt(count).array();
  }

  private void mnist(byte[] images, byte[] labels) throws IOException {
    Files.write(directory.resolve("train-images-idx3-ubyte"), images);
    try (OutputStream out =
        new GZIPOutputStream(
            Files.newOutputStream(directory.resolve("train-labels-idx1-ubyte.gz")))) {
      out.write(labels);
    }
    Files.write(directory.resolve("t10k-images-idx3-ubyte"), idxImages(0x803, 10_000, 7_840_000));
    Files.write(directory.resolve("t10k-labels-idx1-ubyte"), idxLabels(10_000));
  }

  @Test
  void load_plainAndCompressedIdx_readsBoth() throws IOException {
    byte[] images = idxImages(0x803, 60_000, 47_040_000);
    images[16 + 784] = (byte) 200;
    byte[] labels = idxLabels(60_000);
    labels[8 + 1] = 7;
    mnist(images, labels);

    ImageData data = ImageData.load(ImageData.Source.MNIST, directory);

    assertThat(data.train().size()).isEqualTo(60_000);
    assertThat(data.test().size()).isEqualTo(10_000);
    assertThat(data.train().pixels()[784]).isEqualTo((byte) 200);
    assertThat(data.trainingData().target(1)).isEqualTo(7);
    assertThat(ImageData.detect(directory)).isEqualTo(ImageData.Source.MNIST);
  }

  @Test
  void load_damagedIdx_namesFileExpectationAndOrigin() throws IOException {
    mnist(idxImages(0x803, 60_000, 1000), idxLabels(60_000));
    assertRefused(ImageData.Source.MNIST, "train-images-idx3-ubyte", "truncated");
    mnist(idxImages(0x801, 60_000, 47_040_000), idxLabels(60_000));
    assertRefused(ImageData.Source.MNIST, "train-images-idx3-ubyte", "60000 images of 28x28");
    byte[] labels = idxLabels(60_000);
    labels[100] = 11;
    mnist(idxImages(0x803, 60_000, 47_040_000), labels);
    assertRefused(ImageData.Source.MNIST, "train-labels-idx1-ubyte.gz", "label");
  }

  @Test
  void load_damagedCifar_namesFileExpectationAndOrigin() throws IOException {
    Files.write(directory.resolve("data_batch_1.bin"), new byte[3073]);
    assertRefused(ImageData.Source.CIFAR_10, "data_batch_1.bin", "truncated");
    Files.write(directory.resolve("data_batch_1.bin.gz"), new byte[100]);
    Files.delete(directory.resolve("data_batch_1.bin"));
    assertRefused(ImageData.Source.CIFAR_10, "data_batch_1.bin.gz", "damaged");
    assertRefused(ImageData.Source.FASHION_MNIST, "train-images-idx3-ubyte", "does not exist");
  }

  private void assertRefused(ImageData.Source source, String file, String message) {
    assertThatThrownBy(() -> ImageData.load(source, directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file)
        .hasMessageContaining(message)
        .hasMessageContaining(source.origin());
  }

  /** Reads the real files if they are available. */
  @Test
  void load_realMnist_hasTheKnownCounts() throws IOException {
    ImageData data;
    try {
      data = ImageData.load(ImageData.Source.MNIST, null);
    } catch (IOException e) {
      assumeThat(e).isNull();
      return;
    }
    int[] counts = new int[10];
    for (byte label : data.train().labels()) {
      counts[label]++;
    }
    assertThat(counts).containsExactly(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949);
    assertThat(data.train().labels()[0]).isEqualTo((byte) 5);
  }
}
