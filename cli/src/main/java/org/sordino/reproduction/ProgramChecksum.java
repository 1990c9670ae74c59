package org.sordino.reproduction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipFile;
import org.sordino.run.Model;
import org.sordino.torch.Architecture;
import org.sordino.training.Trainer;

/**
 * A checksum of the running program. It differs between builds, so results of an old build are not
 * mistaken for current ones.
 */
final class ProgramChecksum {

  private static final String OURS = "org/sordino/";

  private ProgramChecksum() {}

  /** Returns a checksum of all Sordino classes, wherever they are loaded from. */
  static String checksum() {
    Map<String, Long> checksums = new TreeMap<>();
    try {
      for (Class<?> type :
          List.of(ProgramChecksum.class, Model.class, Architecture.class, Trainer.class)) {
        Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(place)) {
          addFolder(place, checksums);
        } else {
          addJar(place, checksums);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the classes of the program", e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("cannot locate the classes of the program", e);
    }
    CRC32 all = new CRC32();
    checksums.forEach(
        (name, checksum) -> {
          all.update(name.getBytes(StandardCharsets.UTF_8));
          all.update(ByteBuffer.allocate(Long.BYTES).putLong(0, checksum));
        });
    return Long.toHexString(all.getValue());
  }

  private static void addJar(Path jar, Map<String, Long> checksums) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      zip.stream()
          .filter(entry -> entry.getName().startsWith(OURS) && !entry.isDirectory())
          .forEach(entry -> checksums.put(entry.getName(), entry.getCrc()));
    }
  }

  private static void addFolder(Path folder, Map<String, Long> checksums) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(OURS))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        CRC32 checksum = new CRC32();
        checksum.update(Files.readAllBytes(file));
        checksums.put(folder.relativize(file).toString(), checksum.getValue());
      }
    }
  }
}
