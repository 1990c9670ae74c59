/**
 * Clips the vectors of every record, adds them up exactly and adds Gaussian noise to the sums.
 * Start with {@link org.sordino.mechanism.Mechanism}.
 */
@NullMarked
package org.sordino.mechanism;

import org.jspecify.annotations.NullMarked;
