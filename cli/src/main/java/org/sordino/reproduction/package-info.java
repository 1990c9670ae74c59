/**
 * The experiments of the papers, computed again. {@link org.sordino.reproduction.Reproduction}
 * lists them.
 */
@NullMarked
package org.sordino.reproduction;

import org.jspecify.annotations.NullMarked;
