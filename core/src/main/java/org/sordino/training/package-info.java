/**
 * Differentially private training. Read {@link org.sordino.training.PrivateStep} first: it is
 * Algorithm 1 of Abadi et al. (2016). {@link org.sordino.training.TrainingPlan} holds the settings
 * of a run, {@link org.sordino.training.Trainer} executes it, and {@link
 * org.sordino.training.GradientEngine} is what a new kind of model implements.
 */
@NullMarked
package org.sordino.training;

import org.jspecify.annotations.NullMarked;
