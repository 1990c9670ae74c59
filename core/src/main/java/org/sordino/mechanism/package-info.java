/**
 * How every record's vectors are bounded, summed and noised: groups, clipping rules, exact sums,
 * Gaussian noise. Start at {@link org.sordino.mechanism.Mechanism}.
 */
@NullMarked
package org.sordino.mechanism;

import org.jspecify.annotations.NullMarked;
