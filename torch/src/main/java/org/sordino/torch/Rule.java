package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * A per-example gradient rule: computes the parameter gradients of a layer, record by record, from
 * its inputs and the derivatives with respect to its outputs.
 */
interface Rule {

  /**
   * The version of the rules. It must change whenever a change of a rule, or of the choice between
   * two rules, may change a bit of a sum.
   */
  String VERSION = "rules-9";

  /** Returns the names of the parameter tensors; the first one is also the key on the tape. */
  List<String> parameters();

  /**
   * Returns the gradients of all records of a batch, one object per parameter tensor.
   *
   * @param a inputs; the first axis is the record
   * @param g derivatives of the sum of all losses with respect to the outputs; if the layer was
   *     used several times, the second axis of both tensors is the use
   */
  List<RecordGradients> gradients(Tensor a, Tensor g);
}
