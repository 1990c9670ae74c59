package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * The state shared by all batches or records of one step.
 *
 * @param network computes the gradients
 * @param sizes numbers of rows of tapes
 * @param layout parameters of the network, followed by the metrics
 * @param number step number
 * @param weights parameter tensors by name, in float32
 * @param clipping clipping rule
 * @param sums exact sums to add to
 */
record EngineStep(
    TapedNetwork network,
    TapeSizes sizes,
    Layout layout,
    long number,
    Map<String, Tensor> weights,
    Clipping clipping,
    ExactSums sums) {}
