package org.sordino.run;

import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Safetensors;

/**
 * Reopens tasks and models of one kind from the files of a run. Tables are built in; other modules
 * register their kinds as services.
 */
public interface TaskType {

  /** The {@code task} of {@code run.json} and {@code model.json}, such as {@code images}. */
  String kind();

  /** Finds model and records of a run again. */
  Task open(TaskInfo info);

  /**
   * Reads a released model.
   *
   * @param json the content of {@code model.json}
   * @param tensors the content of {@code model.safetensors}
   * @throws IllegalArgumentException if they do not describe a model of this kind
   */
  Model load(Map<String, @Nullable Object> json, Safetensors tensors);

  /**
   * The type of a kind of task other than a table.
   *
   * @throws IllegalArgumentException if no module on the class path registers it
   */
  static TaskType of(String kind) {
    for (TaskType type : ServiceLoader.load(TaskType.class, TaskType.class.getClassLoader())) {
      if (type.kind().equals(kind)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "task of the unknown kind "
            + kind
            + " (written by a newer version, or its module, sordino-torch for images, is not on"
            + " the class path)");
  }
}
