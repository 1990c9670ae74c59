/**
 * The private step (Algorithm 1 of Abadi et al. 2016), the seam to the engines, optimisers,
 * checkpoints, and linear models in plain Java. Start at {@link org.sordino.training.Trainer}.
 */
@NullMarked
package org.sordino.training;

import org.jspecify.annotations.NullMarked;
