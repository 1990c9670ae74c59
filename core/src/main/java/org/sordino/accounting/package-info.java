/**
 * Computes the (epsilon, delta) of a list of events. {@link org.sordino.accounting.TightAccountant}
 * provides the guarantee; the other accountants are for comparison. The results depend only on the
 * events, never on the mechanism. Start with {@link org.sordino.accounting.Accountant}.
 * docs/explanation/accounting.md contains the mathematics.
 */
@NullMarked
package org.sordino.accounting;

import org.jspecify.annotations.NullMarked;
