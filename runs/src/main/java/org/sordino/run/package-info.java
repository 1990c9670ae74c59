/**
 * Training runs for programs. Start at {@link org.sordino.run.TableTraining} to train on a table
 * and at {@link org.sordino.run.Model} to load a run and score records; everything else is reached
 * from these two. {@link org.sordino.run.BudgetFile} adds up what several runs cost.
 */
@NullMarked
package org.sordino.run;

import org.jspecify.annotations.NullMarked;
