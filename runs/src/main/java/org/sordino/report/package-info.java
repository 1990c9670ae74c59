/**
 * The contents and formatting of statements and reports. {@link
 * org.sordino.report.AccountantComparison} compares the results of all accountants for a run;
 * {@link org.sordino.report.HtmlPage} writes self-contained pages with figures and tables.
 */
@NullMarked
package org.sordino.report;

import org.jspecify.annotations.NullMarked;
