package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * How a layer's parameter gradients follow, record by record, from what went in and from the
 * derivative by what came out.
 */
interface Rule {

  /** Changes whenever a rule or the choice between two of them may change a bit of a sum. */
  String VERSION = "rules-8";

  /** The parameter tensors it speaks of; the first also names the place on the tape. */
  List<String> parameters();

  /**
   * The gradients of all records of a batch, one object per parameter tensor.
   *
   * @param a what went in, the first axis counts the records
   * @param g the derivative of the sum of all losses by what came out; where the layer was used
   *     several times, both have the uses as their second axis
   */
  List<RecordGradients> gradients(Tensor a, Tensor g);
}
