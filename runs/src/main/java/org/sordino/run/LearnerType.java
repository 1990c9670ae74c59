package org.sordino.run;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import org.sordino.table.Schema;

/**
 * Reads learners of one kind back from {@code model.json} and {@code run.json}. Linear models are
 * built in; other modules register their kinds as services, so that a linear model is loaded
 * without their libraries.
 */
public interface LearnerType {

  /** The {@code kind} of the model in {@code model.json}, such as {@code network}. */
  String kind();

  /** The {@code task} in {@code run.json} of tables with such a learner. */
  String task();

  /** Reads {@link Learner#modelJson}. */
  Learner ofModel(Map<?, ?> model);

  /** Reads {@link Learner#taskJson} of a run on a table with this schema. */
  Learner ofTask(TaskInfo info, Schema schema);

  /**
   * The type of a kind of model.
   *
   * @throws IllegalArgumentException if no module on the class path registers it
   */
  static LearnerType ofKind(String kind) {
    return find("model of the unknown kind " + kind, type -> type.kind().equals(kind));
  }

  /**
   * The type of the learners of a kind of task.
   *
   * @throws IllegalArgumentException if no module on the class path registers it
   */
  static LearnerType ofTask(String task) {
    return find("task of the unknown kind " + task, type -> type.task().equals(task));
  }

  private static LearnerType find(String what, Predicate<LearnerType> wanted) {
    ClassLoader beside = LearnerType.class.getClassLoader(); // has this library and its modules
    for (LearnerType type : ServiceLoader.load(LearnerType.class, beside)) {
      if (wanted.test(type)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        what
            + " (written by a newer version, or its module, sordino-torch for networks, is not on"
            + " the class path)");
  }
}
