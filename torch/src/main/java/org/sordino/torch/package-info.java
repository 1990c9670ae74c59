/**
 * Neural networks on libtorch: the model as data, per-example rules, data sets. Start at {@link
 * org.sordino.torch.TorchEngine}.
 */
@NullMarked
package org.sordino.torch;

import org.jspecify.annotations.NullMarked;
