/**
 * The append-only, checksummed file of privacy events. Start with {@link org.sordino.ledger.Ledger}
 * to write a ledger, and with {@link org.sordino.ledger.LedgerContents} to account for one.
 */
@NullMarked
package org.sordino.ledger;

import org.jspecify.annotations.NullMarked;
