package org.sordino.cli;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * Translates messages of the library for the command line: replaces the name of a setting in
 * backticks, such as {@code `expectedBatch`}, with the name of the option.
 */
final class OptionNames {

  private static final Pattern SETTING = Pattern.compile("`(\\w+)`");

  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("budgetFile", "--budget-file"),
          Map.entry("data", "--data"),
          Map.entry("directory", "--out"),
          Map.entry("engine", "--engine"),
          Map.entry("epsilon", "--epsilon"),
          Map.entry("expectedBatch", "--batch"),
          Map.entry("label", "--label"),
          Map.entry("metrics", "--metrics"),
          Map.entry("model", "--model"),
          Map.entry("momentum", "--momentum"),
          Map.entry("normalize", "--normalize"),
          Map.entry("optimizer", "--optimizer"),
          Map.entry("principalDirections", "--pca"),
          Map.entry("simulatedUsers", "--simulated-users"),
          Map.entry("statisticsBound", "--statistics-bound"),
          Map.entry("statisticsShare", "--statistics-share"),
          Map.entry("unit", "--unit"),
          Map.entry("userColumn", "--user-column"),
          Map.entry("userFile", "--user-file"),
          Map.entry("withoutHeader", "--no-header"));

  private OptionNames() {}

  static String inMessage(Throwable e) {
    return SETTING
        .matcher(String.valueOf(e.getMessage()))
        .replaceAll(name -> OPTIONS.getOrDefault(name.group(1), name.group()));
  }
}
