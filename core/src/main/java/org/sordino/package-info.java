/**
 * The basic types of Sordino: what was done to private records ({@link org.sordino.PrivacyEvent}),
 * which data sets are neighbors, the privacy budget, and the plan of a run. Start with {@link
 * org.sordino.PrivacyPlan}.
 */
@NullMarked
package org.sordino;

import org.jspecify.annotations.NullMarked;
