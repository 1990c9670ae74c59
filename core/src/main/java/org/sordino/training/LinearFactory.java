package org.sordino.training;

import org.sordino.mechanism.Layout;

/** Linear models. */
record LinearFactory(LinearModel model) implements EngineFactory {

  @Override
  public Layout layout() {
    return model.layout();
  }

  @Override
  public int inputs() {
    return model.inputs();
  }

  @Override
  public String refusal(Examples examples) {
    return model.kind() == LinearModel.Kind.REGRESSION
        ? ""
        : EngineFactory.refuseOtherClasses(examples, Math.max(2, model.outputs()));
  }

  @Override
  public GradientEngine open(Examples examples, int threads) {
    return LinearEngine.of(model, examples, threads);
  }
}
