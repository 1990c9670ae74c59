/**
 * Differentially private training. Start with {@link org.sordino.training.PrivateStep}, which is
 * Algorithm 1 of Abadi et al. (2016). {@link org.sordino.training.TrainingPlan} contains the
 * settings of a run, and {@link org.sordino.training.Trainer} executes it. New kinds of models
 * implement {@link org.sordino.training.GradientEngine}.
 */
@NullMarked
package org.sordino.training;

import org.jspecify.annotations.NullMarked;
