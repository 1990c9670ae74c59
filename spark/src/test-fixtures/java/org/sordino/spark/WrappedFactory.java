package org.sordino.spark;

import org.sordino.mechanism.Layout;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Records;

/** A factory that behaves like another one, except for what an implementation overrides. */
interface WrappedFactory extends EngineFactory {

  EngineFactory inner();

  @Override
  default Layout layout() {
    return inner().layout();
  }

  @Override
  default int inputs() {
    return inner().inputs();
  }

  @Override
  default String refusal(Examples examples) {
    return inner().refusal(examples);
  }

  @Override
  default GradientEngine open(Examples examples, Records records, int threads) {
    return inner().open(examples, records, threads);
  }
}
