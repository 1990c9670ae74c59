/**
 * Neural networks on libtorch: architectures, per-example gradient rules and data sets. Start with
 * {@link org.sordino.torch.TorchEngine}.
 */
@NullMarked
package org.sordino.torch;

import org.jspecify.annotations.NullMarked;
