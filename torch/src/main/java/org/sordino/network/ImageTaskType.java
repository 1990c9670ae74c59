package org.sordino.network;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.run.Model;
import org.sordino.run.Task;
import org.sordino.run.TaskInfo;
import org.sordino.run.TaskType;
import org.sordino.training.Safetensors;

/** Restores tasks and models of runs on image data sets. */
public final class ImageTaskType implements TaskType {

  @Override
  public String kind() {
    return ImageTask.KIND;
  }

  @Override
  public Task open(TaskInfo info) {
    return ImageTask.of(info);
  }

  @Override
  public Model load(Map<String, @Nullable Object> json, Safetensors tensors) {
    return ImageModel.of(json, tensors);
  }
}
