/**
 * Tables of private records, as files with delimiters. A {@link org.sordino.table.Schema} says,
 * publicly, what the columns may hold and how a row becomes numbers; a {@link
 * org.sordino.table.CsvSource} is the file. Start at {@link org.sordino.table.Schema}.
 */
@NullMarked
package org.sordino.table;

import org.jspecify.annotations.NullMarked;
