package org.sordino.reproduction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.run.InvalidInputException;

/**
 * A cache of results (cells), one file each, so that an interrupted reproduction can resume. A cell
 * is reused only if it was computed from the same parameters and by the same build, unless other
 * builds are accepted. A file that cannot be read is computed again.
 */
public final class ResultCache {

  private static final double LONG = 2;

  private final Path folder;
  private final boolean ofAnyProgram;
  private final Consumer<String> news;
  private final String program = ProgramChecksum.checksum();
  private final Optional<String> commit = GitCommit.commit();
  private final Set<String> commits = new TreeSet<>();
  private int reused;
  private double reusedSeconds;

  /**
   * Creates a cache in a folder.
   *
   * @param ofAnyProgram whether to reuse cells that another build computed
   * @param news receives a message about each computation that took long
   */
  public ResultCache(Path folder, boolean ofAnyProgram, Consumer<String> news) {
    this.folder = folder;
    this.ofAnyProgram = ofAnyProgram;
    this.news = news;
  }

  /** Returns the commits of the builds that computed the cells, as far as recorded. */
  public List<String> commits() {
    return List.copyOf(commits);
  }

  /** Returns the number of reused cells. */
  public int reused() {
    return reused;
  }

  /** Returns how many seconds the reused cells originally took. */
  public double reusedSeconds() {
    return reusedSeconds;
  }

  /**
   * Returns a cell, computing it if necessary.
   *
   * @param name name of the file
   * @param parameters everything that the result depends on, including the seed
   * @param work computes the result if it is not in the cache
   */
  Map<String, @Nullable Object> get(
      String name, Map<String, ?> parameters, Supplier<Map<String, ?>> work) {
    String key = Json.write(parameters);
    Path file = folder.resolve(name.replace(' ', '-') + "-" + digest(key) + ".json");
    Optional<Map<String, @Nullable Object>> found = find(file, key);
    if (found.isPresent()) {
      reused++;
      reusedSeconds += SeedStatistics.number(found.get().get("seconds"));
      return result(found.get());
    }
    long start = System.nanoTime();
    Map<String, Object> cell = new LinkedHashMap<>();
    cell.put("parameters", parameters);
    cell.put("program", program);
    commit.ifPresent(id -> cell.put("commit", id));
    cell.put("result", work.get());
    double seconds = (System.nanoTime() - start) / 1e9;
    cell.put("seconds", seconds);
    if (seconds > LONG) {
      news.accept("%s: %.0f s".formatted(name, seconds));
    }
    String written = Json.write(cell);
    save(file, written + "\n");
    return result(Json.readObject(written));
  }

  private Optional<Map<String, @Nullable Object>> find(Path file, String key) {
    try {
      Map<String, @Nullable Object> cell = Json.readObject(Files.readString(file));
      boolean same = Json.write(cell.get("parameters")).equals(key);
      boolean accepted =
          program.equals(cell.get("program"))
              || ofAnyProgram && cell.get("commit") instanceof String;
      return same
              && accepted
              && cell.get("result") instanceof Map
              && cell.get("seconds") instanceof Number
          ? Optional.of(cell)
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty(); // missing or damaged; computed again
    }
  }

  @SuppressWarnings("unchecked") // objects read by Json have String keys
  private Map<String, @Nullable Object> result(Map<String, @Nullable Object> cell) {
    if (cell.get("commit") instanceof String commit) {
      commits.add(commit);
    }
    if (cell.get("result") instanceof Map<?, ?> result) {
      return (Map<String, @Nullable Object>) result;
    }
    throw new IllegalStateException("a cell must have a result");
  }

  /** Writes the file atomically, so that no partial file is ever read. */
  private void save(Path file, String text) {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.createDirectories(folder);
      Files.writeString(part, text);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw InvalidInputException.of(
          "--out", "a writable folder", folder.toString(), "choose another folder");
    }
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not provide SHA-256", e);
    }
  }
}
