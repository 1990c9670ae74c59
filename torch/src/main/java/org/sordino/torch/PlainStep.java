package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * One step of non-private SGD, as the baseline: computes the gradient of the batch by autograd and
 * updates the parameters, all in native memory.
 */
final class PlainStep {

  private final Architecture architecture;
  private final Loss loss;
  private final TorchData data;
  private final boolean channelsLast;

  PlainStep(Architecture architecture, Loss loss, TorchData data, boolean channelsLast) {
    this.architecture = architecture;
    this.loss = loss;
    this.data = data;
    this.channelsLast = channelsLast;
  }

  /**
   * Returns parameters for which autograd computes gradients. They belong to the caller's scope.
   */
  Map<String, Tensor> parameters(double[] theta) {
    Map<String, Tensor> parameters = new LinkedHashMap<>();
    Weights.floats(architecture, theta)
        .forEach(
            (name, tensor) ->
                parameters.put(
                    name,
                    (channelsLast ? tensor : tensor.contiguous())
                        .detach()
                        .set_requires_grad(true)));
    return parameters;
  }

  /** Updates the parameters, with the sample split into batches for the pool. */
  void sharded(Workers workers, List<int[]> batches, Map<String, Tensor> parameters, double rate) {
    Tensor[] weights = parameters.values().toArray(new Tensor[0]);
    List<Runnable> tasks = new ArrayList<>();
    Object[] locks = new Object[weights.length];
    Arrays.setAll(locks, j -> new Object());
    Tensor[] sums = new Tensor[weights.length];
    Arrays.setAll(sums, j -> torch.zeros_like(weights[j]).detach());
    for (int[] records : batches) {
      tasks.add(
          () ->
              Scopes.run(
                  () -> {
                    TensorVector found = gradients(records, parameters, weights);
                    Scopes.withoutGradients(
                        () -> {
                          for (int j = 0; j < weights.length; j++) {
                            synchronized (locks[j]) {
                              sums[j].add_(found.get(j));
                            }
                          }
                        });
                  }));
    }
    workers.run(tasks);
    update(weights, sums, rate);
  }

  /** Updates the parameters, with the whole sample as one batch. */
  void whole(int[] records, Map<String, Tensor> parameters, double rate) {
    Tensor[] weights = parameters.values().toArray(new Tensor[0]);
    TensorVector found = gradients(records, parameters, weights);
    Tensor[] sums = new Tensor[weights.length];
    Arrays.setAll(sums, j -> new Tensor(found.get(j)));
    update(weights, sums, rate);
  }

  private TensorVector gradients(int[] records, Map<String, Tensor> parameters, Tensor[] weights) {
    Tensor x = data.inputs(records, architecture.input());
    if (!channelsLast) {
      x = x.contiguous(MemoryFormat.Contiguous);
    }
    Tensor y = architecture.layers().forward(x, new Pass(parameters, null, null));
    Tensor total = loss.each(y, data.targets(records)).sum();
    return torch.grad(
        new TensorVector(total),
        new TensorVector(weights),
        new TensorVector(),
        new BoolOptional(),
        false,
        true);
  }

  private static void update(Tensor[] weights, Tensor[] sums, double rate) {
    Scopes.withoutGradients(
        () -> {
          for (int j = 0; j < weights.length; j++) {
            weights[j].add_(sums[j], new Scalar(-rate));
          }
        });
  }
}
