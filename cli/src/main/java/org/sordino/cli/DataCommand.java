package org.sordino.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.torch.ImageData;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino data}: manages public data sets. */
@Command(
    name = "data",
    description = "Download public data sets",
    mixinStandardHelpOptions = true,
    subcommands = DataCommand.Get.class,
    usageHelpWidth = 100)
final class DataCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a subcommand is missing, such as 'data get mnist'");
  }

  /** {@code sordino data get}: downloads a data set. */
  @Command(
      name = "get",
      description = {
        "Download a data set from its official source and verify its checksums",
        "",
        "If a download is interrupted, run the command again to resume it."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false,
      usageHelpWidth = 100,
      footer = {
        "",
        "Examples:",
        "  sordino data get mnist",
        "  sordino data get cifar-10 --to /data/images"
      })
  static final class Get implements Callable<Integer> {

    private static final String IMAGES = "train-images-idx3-ubyte.gz";
    private static final String LABELS = "train-labels-idx1-ubyte.gz";
    private static final String TEST_IMAGES = "t10k-images-idx3-ubyte.gz";
    private static final String TEST_LABELS = "t10k-labels-idx1-ubyte.gz";
    private static final String ARCHIVE = "cifar-10-binary.tar.gz";

    /** Files and their MD5 checksums, as published by the owners. */
    private static final Map<ImageData.Source, Map<String, String>> FILES =
        Map.of(
            ImageData.Source.MNIST,
            Map.of(
                IMAGES,
                "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                LABELS,
                "d53e105ee54ea40749a09fcbcd1e9432",
                TEST_IMAGES,
                "9fb629c4189551a2d022fa330f9573f3",
                TEST_LABELS,
                "ec29112dd5afa0611ce80d1b7f02629c"),
            ImageData.Source.FASHION_MNIST,
            Map.of(
                IMAGES,
                "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                LABELS,
                "25c81989df183df01b3e8a0aad5dffbe",
                TEST_IMAGES,
                "bef4ecab320f06d8554ea6380940ec79",
                TEST_LABELS,
                "bb300cfdad3c16e7a12a480ee83cd310"),
            ImageData.Source.CIFAR_10,
            Map.of(ARCHIVE, "c32a1d4ab5d03f1284b67883e8d87530"));

    private static final Map<ImageData.Source, String> PLACES =
        Map.of(
            ImageData.Source.MNIST,
            "http://yann.lecun.com/exdb/mnist/",
            ImageData.Source.FASHION_MNIST,
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
            ImageData.Source.CIFAR_10,
            "https://www.cs.toronto.edu/~kriz/");

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "Data set: mnist, fashion-mnist or cifar-10")
    private String name = "";

    @Option(
        names = "--to",
        paramLabel = "FOLDER",
        description =
            "Parent folder of the data set's folder (default: SORDINO_DATA if set, otherwise"
                + " data/)")
    private @Nullable Path to;

    @Option(
        names = "--from",
        paramLabel = "URL",
        description = "URL of a mirror with the same files (default: the official source)")
    private @Nullable URI from;

    @Override
    public Integer call() {
      ImageData.Source source = ImageData.Source.of(name);
      if (source == null) {
        throw InvalidInputException.of(
            "NAME", "mnist, fashion-mnist or cifar-10", name, "use one of them");
      }
      Path folder = folder().resolve(source.id());
      String place = from == null ? PLACES.getOrDefault(source, "") : from.toString();
      String base = place.endsWith("/") ? place : place + "/";
      new TreeMap<>(FILES.getOrDefault(source, Map.of()))
          .forEach(
              (file, md5) -> {
                spec.commandLine().getErr().println(base + file);
                spec.commandLine().getErr().flush();
                new Download(URI.create(base + file), md5).to(folder.resolve(file), true);
              });
      if (source == ImageData.Source.CIFAR_10) {
        unpack(folder.resolve(ARCHIVE), folder);
      }
      spec.commandLine().getOut().println(folder);
      return Main.OK;
    }

    private Path folder() {
      String environment = System.getenv("SORDINO_DATA");
      if (to != null) {
        return to;
      }
      return environment == null ? Path.of("data") : Path.of(environment);
    }

    /**
     * Extracts the .bin files from a tar archive, which consists of blocks of 512 bytes with a
     * header block before each file.
     */
    private static void unpack(Path archive, Path folder) {
      try (InputStream in =
          new BufferedInputStream(new GZIPInputStream(Files.newInputStream(archive)))) {
        byte[] header = in.readNBytes(512);
        while (header.length == 512 && header[0] != 0) {
          String path = new String(header, 0, 100, StandardCharsets.US_ASCII).split("\0", 2)[0];
          long size =
              Long.parseLong(
                  new String(header, 124, 12, StandardCharsets.US_ASCII).replaceAll("[^0-7]", ""),
                  8);
          byte[] content = in.readNBytes(Math.toIntExact(size));
          in.skipNBytes((512 - size % 512) % 512);
          if (path.endsWith(".bin")) {
            Files.write(folder.resolve(Path.of(path).getFileName()), content);
          }
          header = in.readNBytes(512);
        }
      } catch (IOException e) {
        throw new InvalidInputException(
            archive + " cannot be unpacked (" + e + "); delete it and try again");
      }
    }
  }
}
