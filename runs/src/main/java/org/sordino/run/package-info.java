/**
 * The API for programs that embed Sordino. Start with {@link org.sordino.run.TableTraining} to
 * train on a table and with {@link org.sordino.run.Model} to load a finished run and score records.
 * {@link org.sordino.run.Training} trains custom models on other kinds of data. {@link
 * org.sordino.run.BudgetFile} limits the total privacy cost of several runs on the same data.
 */
@NullMarked
package org.sordino.run;

import org.jspecify.annotations.NullMarked;
