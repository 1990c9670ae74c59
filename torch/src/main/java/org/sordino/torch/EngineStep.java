package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * The state shared by all batches or records of one step.
 *
 * @param network computes the gradients
 * @param rows number of rows of every tape; see {@link TapeCheck}
 * @param layout parameters of the network, followed by the metrics
 * @param number step number
 * @param weights parameter tensors by name, in float32
 * @param clipping clipping rule
 * @param sums exact sums to add to
 */
record EngineStep(
    TapedNetwork network,
    int rows,
    Layout layout,
    long number,
    Map<String, Tensor> weights,
    Clipping clipping,
    ExactSums sums) {}
