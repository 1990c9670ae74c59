/**
 * How the vectors of every record are clipped, summed and noised: groups, clipping rules, exact
 * sums, Gaussian noise. Start with {@link org.sordino.mechanism.Mechanism}.
 */
@NullMarked
package org.sordino.mechanism;

import org.jspecify.annotations.NullMarked;
