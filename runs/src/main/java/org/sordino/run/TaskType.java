package org.sordino.run;

import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Safetensors;

/**
 * Restores tasks and models of one kind from the files of a run. Tables are built in. Other modules
 * register their kinds through {@link ServiceLoader}.
 */
public interface TaskType {

  /**
   * Returns the {@code task} in {@code run.json} and {@code model.json}, such as {@code images}.
   */
  String kind();

  /** Restores the task of a run: its model and its records. */
  Task open(TaskInfo info);

  /**
   * Reads a released model.
   *
   * @param json the content of {@code model.json}
   * @param tensors the content of {@code model.safetensors}
   * @throws IllegalArgumentException if the files do not describe a model of this kind
   */
  Model load(Map<String, @Nullable Object> json, Safetensors tensors);

  /**
   * Returns the type for a kind of task other than a table.
   *
   * @throws IllegalArgumentException if no module on the class path registers the kind
   */
  static TaskType of(String kind) {
    for (TaskType type : ServiceLoader.load(TaskType.class, TaskType.class.getClassLoader())) {
      if (type.kind().equals(kind)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "unknown task kind "
            + kind
            + "; it was written by a newer version, or its module (sordino-torch for images) is"
            + " not on the class path");
  }
}
