/**
 * What accountants, statements and reports show: {@link org.sordino.report.AccountantComparison}
 * sets all accountants side by side, {@link org.sordino.report.HtmlPage} writes self-contained
 * pages with figures and tables.
 */
@NullMarked
package org.sordino.report;

import org.jspecify.annotations.NullMarked;
