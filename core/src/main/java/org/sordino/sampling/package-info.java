/**
 * Poisson sampling of record indices, without access to data. Start with {@link
 * org.sordino.sampling.PoissonSample}.
 */
@NullMarked
package org.sordino.sampling;

import org.jspecify.annotations.NullMarked;
