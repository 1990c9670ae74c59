/** Short example programs for the public API of Sordino. */
@NullMarked
package org.sordino.examples;

import org.jspecify.annotations.NullMarked;
