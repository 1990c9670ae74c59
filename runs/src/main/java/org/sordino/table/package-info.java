/**
 * Tables of private records.
 *
 * <p>A {@link org.sordino.table.Schema} is public: it declares the values that each column may
 * contain and how a row is encoded as features. A {@link org.sordino.table.TableSource} is a file,
 * a query or a list of rows. A {@link org.sordino.table.RecordEncoder} encodes individual records
 * for scoring. Start with {@link org.sordino.table.Schema}.
 */
@NullMarked
package org.sordino.table;

import org.jspecify.annotations.NullMarked;
