/**
 * What (epsilon, delta) a list of events has cost. {@link org.sordino.accounting.TightAccountant}
 * gives the guarantee; the others stand beside it for comparison. Depends on the events only, never
 * on the mechanism. Start with {@link org.sordino.accounting.Accountant}. The mathematics is in
 * docs/explanation/accounting.md.
 */
@NullMarked
package org.sordino.accounting;

import org.jspecify.annotations.NullMarked;
