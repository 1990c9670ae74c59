package org.sordino.torch;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads and validates IDX files and the binary files of CIFAR-10, plain or compressed. */
record ImageFiles(ImageData.Source source, Path directory) {

  private static final int IDX_IMAGES = 0x803;
  private static final int IDX_LABELS = 0x801;
  private static final int CIFAR_IMAGES = 10_000;

  boolean exists(String name) {
    return Files.isRegularFile(directory.resolve(name))
        || Files.isRegularFile(directory.resolve(name + ".gz"));
  }

  private Path file(String name) throws IOException {
    for (String candidate : List.of(name, name + ".gz")) {
      if (Files.isRegularFile(directory.resolve(candidate))) {
        return directory.resolve(candidate);
      }
    }
    throw new IOException(
        directory.resolve(name) + " (or .gz) does not exist; download it from " + source.origin());
  }

  private IOException damaged(Path file, String expected, Object actual) {
    return new IOException(
        file
            + " must contain "
            + expected
            + ", got "
            + actual
            + "; download it again from "
            + source.origin());
  }

  /** Reads the content of an open file. */
  private interface Body<T> {
    T read(DataInputStream in, Path file) throws IOException;
  }

  private <T> T read(String name, String expected, Body<T> body) throws IOException {
    Path file = file(name);
    try (InputStream raw = new BufferedInputStream(Files.newInputStream(file));
        DataInputStream in =
            new DataInputStream(
                file.toString().endsWith(".gz") ? new GZIPInputStream(raw, 1 << 16) : raw)) {
      T result = body.read(in, file);
      if (in.read() >= 0) {
        throw damaged(file, expected, "additional bytes");
      }
      return result;
    } catch (EOFException | ZipException e) {
      throw (IOException) damaged(file, expected, "a truncated or damaged file").initCause(e);
    }
  }

  /**
   * Reads a pair of IDX files.
   *
   * @param stem {@code train} or {@code t10k}
   * @param count number of images in the data set
   */
  ImageData.Images idx(String stem, int count) throws IOException {
    int height = source.shape()[1];
    int width = source.shape()[2];
    String what = count + " images of " + height + "x" + width + " in the IDX format";
    byte[] pixels =
        read(
            stem + "-images-idx3-ubyte",
            what,
            (in, file) -> {
              int[] head = {in.readInt(), in.readInt(), in.readInt(), in.readInt()};
              if (head[0] != IDX_IMAGES
                  || head[1] != count
                  || head[2] != height
                  || head[3] != width) {
                throw damaged(
                    file, what, "the header " + List.of(head[0], head[1], head[2], head[3]));
              }
              byte[] all = new byte[count * height * width];
              in.readFully(all);
              return all;
            });
    return new ImageData.Images(pixels, labels(stem, count));
  }

  private byte[] labels(String stem, int count) throws IOException {
    String what = count + " labels from 0 to 9 in the IDX format";
    return read(
        stem + "-labels-idx1-ubyte",
        what,
        (in, file) -> {
          int magic = in.readInt();
          int number = in.readInt();
          if (magic != IDX_LABELS || number != count) {
            throw damaged(file, what, "the header " + List.of(magic, number));
          }
          byte[] all = new byte[count];
          in.readFully(all);
          requireLabels(file, all, what);
          return all;
        });
  }

  /** Reads files of 10,000 records each: a label byte, then the red, green and blue planes. */
  ImageData.Images cifar(List<String> names) throws IOException {
    int width = Shapes.size(source.shape());
    byte[] pixels = new byte[names.size() * CIFAR_IMAGES * width];
    byte[] labels = new byte[names.size() * CIFAR_IMAGES];
    String what =
        CIFAR_IMAGES + " records, each with a label from 0 to 9 and " + width + " pixel bytes";
    for (int f = 0; f < names.size(); f++) {
      int first = f * CIFAR_IMAGES;
      read(
          names.get(f),
          what,
          (in, file) -> {
            for (int i = first; i < first + CIFAR_IMAGES; i++) {
              labels[i] = in.readByte();
              in.readFully(pixels, i * width, width);
            }
            requireLabels(file, labels, what);
            return file;
          });
    }
    return new ImageData.Images(pixels, labels);
  }

  private void requireLabels(Path file, byte[] labels, String what) throws IOException {
    for (byte label : labels) {
      if (label < 0 || label > 9) {
        throw damaged(file, what, "a label outside this range");
      }
    }
  }
}
