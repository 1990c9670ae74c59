/**
 * Secret random bits: AES-256 in counter mode, keyed by the operating system's generator and
 * separated by purpose. Start at {@link org.sordino.random.RandomKey}.
 */
@NullMarked
package org.sordino.random;

import org.jspecify.annotations.NullMarked;
