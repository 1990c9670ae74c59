package org.sordino.run;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import org.sordino.table.Schema;

/**
 * Reads learners of one kind from {@code model.json} and {@code run.json}. Linear models are built
 * in. Other modules register their kinds through {@link ServiceLoader}, so loading a linear model
 * does not require their libraries.
 */
public interface LearnerType {

  /** Returns the {@code kind} of the model in {@code model.json}, such as {@code network}. */
  String kind();

  /** Returns the {@code task} in {@code run.json} for tables with this kind of learner. */
  String task();

  /** Creates a learner from its {@link Learner#modelJson}. */
  Learner ofModel(Map<?, ?> model);

  /** Creates the learner of a run from its {@link Learner#taskJson} and the table's schema. */
  Learner ofTask(TaskInfo info, Schema schema);

  /**
   * Returns the type for a kind of model.
   *
   * @throws IllegalArgumentException if no module on the class path registers the kind
   */
  static LearnerType ofKind(String kind) {
    return find("unknown model kind " + kind, type -> type.kind().equals(kind));
  }

  /**
   * Returns the type of the learners for a kind of task.
   *
   * @throws IllegalArgumentException if no module on the class path registers the kind
   */
  static LearnerType ofTask(String task) {
    return find("unknown task kind " + task, type -> type.task().equals(task));
  }

  private static LearnerType find(String what, Predicate<LearnerType> wanted) {
    // The context class loader of the calling thread may not contain the modules of Sordino.
    ClassLoader own = LearnerType.class.getClassLoader();
    for (LearnerType type : ServiceLoader.load(LearnerType.class, own)) {
      if (wanted.test(type)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        what
            + "; it was written by a newer version, or its module (sordino-torch for networks) is"
            + " not on the class path");
  }
}
