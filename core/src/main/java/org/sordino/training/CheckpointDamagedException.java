package org.sordino.training;

/**
 * Thrown if a checkpoint is damaged, missing or does not match the plan. Nothing is restored from
 * it.
 */
public final class CheckpointDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  CheckpointDamagedException(String message) {
    super(message);
  }
}
