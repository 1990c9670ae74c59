/**
 * Secret random bits: AES-256 in counter mode, keyed by the operating system's generator and with
 * separate keys for separate purposes. Start with {@link org.sordino.random.RandomKey}.
 */
@NullMarked
package org.sordino.random;

import org.jspecify.annotations.NullMarked;
