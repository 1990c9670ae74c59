/** Short programs that use the public API of Sordino. */
@NullMarked
package org.sordino.examples;

import org.jspecify.annotations.NullMarked;
