package org.sordino.training;

/** Trains. */
public final class Trainer {
  private Trainer() {}
}
