package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.sordino.ledger.Storage;
import org.sordino.random.RandomKey;

/**
 * The folder with the keys of unfinished runs, which are required to resume them. There is one file
 * per run, readable by the owner only and removed when the run ends. Keys are not stored in the run
 * directory because run directories are shared, and anyone who has the key can remove the noise
 * from the model.
 *
 * @param folder path of the folder, which is created when the first key is stored
 */
public record KeyFolder(Path folder) {

  /**
   * Returns the folder of the current user: {@code SORDINO_KEYS} if it is set, otherwise {@code
   * sordino/keys} in {@code XDG_STATE_HOME} or, if that is not set, in {@code ~/.local/state}.
   */
  public static KeyFolder ofUser() {
    String given = System.getenv("SORDINO_KEYS");
    if (given != null && !given.isBlank()) {
      return new KeyFolder(Path.of(given));
    }
    String state = System.getenv("XDG_STATE_HOME");
    Path base =
        state == null || state.isBlank()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return new KeyFolder(base.resolve("sordino").resolve("keys"));
  }

  void store(Storage storage, String run, RandomKey key) {
    try {
      Files.createDirectories(folder);
      if (posix()) {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the key folder cannot be created: " + folder, e);
    }
    RunFiles.replace(storage, file(run), key.bytes());
  }

  Optional<RandomKey> find(String run) {
    try {
      return Files.exists(file(run))
          ? Optional.of(RandomKey.of(Files.readAllBytes(file(run))))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("the key of the run cannot be read: " + file(run), e);
    }
  }

  void remove(Storage storage, String run) {
    try {
      storage.delete(file(run));
      storage.forceFolder(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("the key of the run cannot be removed: " + file(run), e);
    }
  }

  private Path file(String run) {
    return folder.resolve(run + ".key");
  }

  private boolean posix() {
    return folder.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
