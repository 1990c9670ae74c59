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
 * The source of the user IDs of images. Image files do not contain user IDs.
 *
 * @param file file with the user ID of each image, one per line; null without a file
 * @param simulated number of users to which images are assigned with public randomness; 0 for none
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
   * Returns the user of each image; an empty list without user IDs.
   *
   * @param images number of images
   * @param seed seed of the public randomness
   */
  List<String> users(int images, long seed) {
    if (file != null) {
      return read(file, images);
    }
    List<String> users = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; simulated > 0 && i < images; i++) {
      users.add(Long.toString(random.nextLong(simulated)));
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
      throw InvalidInputException.of("`userFile`", "a readable text file", file, e.toString());
    }
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).isEmpty()) {
        throw new InvalidInputException(
            "%s line %d: the user ID must not be missing, got a blank line; add the user ID"
                .formatted(file, i + 1));
      }
    }
    if (lines.size() != images) {
      throw InvalidInputException.of(
          "`userFile`",
          "a file with one line for each of the " + Decimals.grouped(images) + " images",
          Decimals.grouped(lines.size()) + " lines in " + file,
          "write the user ID of each image on a line");
    }
    return lines;
  }
}
