package org.sordino.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Decimals;
import org.sordino.run.InvalidInputException;
import org.sordino.run.TaskInfo;

/**
 * Whose images are, which no image says.
 *
 * @param file a line for each image; null if there is none
 * @param simulated how many users public coins assign the images to; 0 if none
 */
public record ImageUsers(@Nullable String file, long simulated) {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  static ImageUsers of(TaskInfo info) {
    return new ImageUsers(info.userFile(), info.simulatedUsers());
  }

  void addTo(Map<String, @Nullable Object> json) {
    if (file != null) {
      json.put("userFile", file);
    }
    if (simulated > 0) {
      json.put("simulatedUsers", simulated);
    }
  }

  /**
   * The user of every image; none at all where nobody asks.
   *
   * @param seed of the public coins
   */
  List<String> users(int images, long seed) {
    if (file != null) {
      return read(file, images);
    }
    List<String> users = new ArrayList<>();
    SplittableRandom coins = new SplittableRandom(seed);
    for (int i = 0; simulated > 0 && i < images; i++) {
      users.add(Long.toString(coins.nextLong(simulated)));
    }
    return users;
  }

  private static List<String> read(String file, int images) {
    List<String> lines;
    try {
      lines =
          Files.readAllLines(Path.of(file)).stream()
              .map(line -> line.replace(BYTE_ORDER_MARK, "").strip())
              .toList();
    } catch (IOException e) {
      throw InvalidInputException.of(
          "`userFile`", "a text file that can be read", file, e.toString());
    }
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).isEmpty()) {
        throw new InvalidInputException(
            "%s line %d: the user must not be missing, got a blank line; give every image its user"
                .formatted(file, i + 1));
      }
    }
    if (lines.size() != images) {
      throw InvalidInputException.of(
          "`userFile`",
          "a file with a line for each of the " + Decimals.grouped(images) + " images",
          Decimals.grouped(lines.size()) + " lines in " + file,
          "give every image its user");
    }
    return lines;
  }
}
