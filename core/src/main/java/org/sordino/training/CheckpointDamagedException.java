package org.sordino.training;

/** A checkpoint is not what was written; nothing was read from it. */
public final class CheckpointDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  CheckpointDamagedException(String message) {
    super(message);
  }
}
