package org.sordino.network;

import java.util.Map;
import org.sordino.json.Json;
import org.sordino.run.Learner;
import org.sordino.run.LearnerType;
import org.sordino.run.TaskInfo;
import org.sordino.table.Schema;

/** Restores networks on tables. */
public final class NetworkLearnerType implements LearnerType {

  @Override
  public String kind() {
    return NetworkLearner.KIND;
  }

  @Override
  public String task() {
    return NetworkLearner.TASK;
  }

  @Override
  public Learner ofModel(Map<?, ?> model) {
    return new NetworkLearner(kind(), Json.write(model.get("architecture")), 0);
  }

  /** Rebuilds the default network from the schema, and reads others from {@code run.json}. */
  @Override
  public Learner ofTask(TaskInfo info, Schema schema) {
    String name = String.valueOf(info.text("model"));
    long seed = info.json().get("seed") instanceof Number number ? number.longValue() : 0;
    return name.equals("mlp")
        ? NetworkLearner.of(name, schema, seed)
        : new NetworkLearner(name, Json.write(info.json().get("architecture")), seed);
  }
}
