/**
 * The append-only, checksummed file of privacy events. Start at {@link org.sordino.ledger.Ledger}.
 */
@NullMarked
package org.sordino.ledger;

import org.jspecify.annotations.NullMarked;
