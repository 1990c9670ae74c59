/**
 * The append-only, checksummed file of privacy events. Read {@link org.sordino.ledger.Ledger} first
 * to write one, and {@link org.sordino.ledger.LedgerContents} to account for one.
 */
@NullMarked
package org.sordino.ledger;

import org.jspecify.annotations.NullMarked;
