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
 * The cells of a grid, each kept in a file of its own, so that a reproduction that was interrupted
 * goes on where it ended. A cell is used again only if it was computed from the same parameters,
 * and by the same program unless others are accepted; a file that cannot be read is computed again.
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
   * In a folder.
   *
   * @param ofAnyProgram whether cells that another program computed are used too
   * @param news told what took long
   */
  public ResultCache(Path folder, boolean ofAnyProgram, Consumer<String> news) {
    this.folder = folder;
    this.ofAnyProgram = ofAnyProgram;
    this.news = news;
  }

  /** From which commits the cells come, as far as they know. */
  public List<String> commits() {
    return List.copyOf(commits);
  }

  /** How many cells were found. */
  public int reused() {
    return reused;
  }

  /** How long the found cells had taken. */
  public double reusedSeconds() {
    return reusedSeconds;
  }

  /**
   * One cell.
   *
   * @param name for the file
   * @param parameters everything the result depends on, seed included
   * @param work computes the result, if it is not there
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
      return Optional.empty(); // not there, or damaged: computed again
    }
  }

  @SuppressWarnings("unchecked") // what Json reads has String keys
  private Map<String, @Nullable Object> result(Map<String, @Nullable Object> cell) {
    if (cell.get("commit") instanceof String commit) {
      commits.add(commit);
    }
    if (cell.get("result") instanceof Map<?, ?> result) {
      return (Map<String, @Nullable Object>) result;
    }
    throw new IllegalStateException("a cell must have a result");
  }

  /** Whole or not at all, so that nothing half-written is found later. */
  private void save(Path file, String text) {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.createDirectories(folder);
      Files.writeString(part, text);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw InvalidInputException.of(
          "--out", "a folder that can be written", folder.toString(), "choose another");
    }
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
