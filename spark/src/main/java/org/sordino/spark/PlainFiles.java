package org.sordino.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.sordino.table.TableException;
import org.sordino.table.TableFormats;

/**
 * The files at a location in any file system that Spark supports. Locations in a table of Delta
 * Lake, Iceberg or Hudi are refused before any data is read, because Spark would read the files as
 * plain Parquet, deleted rows included.
 */
final class PlainFiles {

  private final FileSystem system;
  private final String location;

  private PlainFiles(FileSystem system, String location) {
    this.system = system;
    this.location = location;
  }

  /**
   * Returns the files at a location in the order of their names, without markers such as _SUCCESS.
   */
  static List<String> at(String location, Configuration configuration) {
    Path path = new Path(location);
    try {
      FileSystem system = path.getFileSystem(configuration);
      PlainFiles files = new PlainFiles(system, location);
      FileStatus[] found = system.listStatus(path);
      files.refuseAbove(system.resolvePath(path));
      files.refuseBelow(path, found);
      return files.names(found);
    } catch (FileNotFoundException e) {
      throw new TableException(location + " must exist; check the name", e);
    } catch (IOException | UncheckedIOException e) {
      throw new TableException(location + " cannot be read: " + e, e);
    }
  }

  private List<String> names(FileStatus[] found) {
    List<String> names =
        Arrays.stream(found)
            .filter(FileStatus::isFile)
            .map(FileStatus::getPath)
            .filter(file -> !file.getName().startsWith("_") && !file.getName().startsWith("."))
            .map(Path::toString)
            .sorted()
            .toList();
    if (names.isEmpty()) {
      throw new TableException(
          location + " must contain files, got an empty folder; check the name");
    }
    return names;
  }

  /** Checks the location and all folders above it, such as the table that a partition is in. */
  private void refuseAbove(Path start) {
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      Path current = folder;
      List<String> names =
          TableFormats.markers().stream().filter(name -> isFolder(current, name)).toList();
      TableFormats.refuse(location, current.toString(), names, () -> metadata(current));
    }
  }

  /** Returns whether there is such a folder. Folders above the location may not be readable. */
  private boolean isFolder(Path parent, String name) {
    try {
      return system.getFileStatus(new Path(parent, name)).isDirectory();
    } catch (IOException e) {
      return false;
    }
  }

  private List<String> metadata(Path folder) {
    try {
      List<String> names = new ArrayList<>();
      for (FileStatus status : system.listStatus(new Path(folder, "metadata"))) {
        names.add(status.getPath().getName());
      }
      return names;
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Checks the partition folders, such as year=2024, that Spark reads with their parent. */
  private void refuseBelow(Path folder, FileStatus[] found) throws IOException {
    List<String> folders =
        Arrays.stream(found)
            .filter(FileStatus::isDirectory)
            .map(status -> status.getPath().getName())
            .toList();
    TableFormats.refuse(location, folder.toString(), folders, () -> metadata(folder));
    for (String name : folders) {
      if (name.contains("=")) {
        Path partition = new Path(folder, name);
        refuseBelow(partition, system.listStatus(partition));
      }
    }
  }
}
