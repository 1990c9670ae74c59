/**
 * Poisson sampling of record indices; never touches data. Start at {@link
 * org.sordino.sampling.PoissonSample}.
 */
@NullMarked
package org.sordino.sampling;

import org.jspecify.annotations.NullMarked;
