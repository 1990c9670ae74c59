package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * What the batches or records of one step have in common.
 *
 * @param network computes their gradients
 * @param layout the parameters of the network, then the metrics
 * @param number the number of the step
 * @param weights every parameter tensor by name, in float32
 * @param clipping the bounds
 * @param sums where all of them are added
 */
record EngineStep(
    TapedNetwork network,
    Layout layout,
    long number,
    Map<String, Tensor> weights,
    Clipping clipping,
    ExactSums sums) {}
