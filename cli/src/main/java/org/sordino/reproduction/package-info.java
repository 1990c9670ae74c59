/**
 * Reproductions of experiments from published papers. {@link org.sordino.reproduction.Reproduction}
 * lists them.
 */
@NullMarked
package org.sordino.reproduction;

import org.jspecify.annotations.NullMarked;
