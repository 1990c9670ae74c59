/**
 * Tables of private records. A {@link org.sordino.table.Schema} declares, publicly, what the
 * columns may hold and how a row becomes numbers; a {@link org.sordino.table.TableSource} is a
 * file, a query or a list of rows; a {@link org.sordino.table.RecordEncoder} encodes single records
 * for scoring. Start at {@link org.sordino.table.Schema}.
 */
@NullMarked
package org.sordino.table;

import org.jspecify.annotations.NullMarked;
