package org.sordino.training;

import java.util.List;
import org.sordino.mechanism.Layout;

/** Factory of the engines of linear models. */
record LinearFactory(LinearModel model, List<Layout.Vector> metrics, Unit unit)
    implements EngineFactory {

  @Override
  public Layout layout() {
    return model.layout().with(metrics);
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
  public EngineFactory with(List<Layout.Vector> otherMetrics, Unit otherUnit) {
    return new LinearFactory(model, otherMetrics, otherUnit);
  }

  @Override
  public GradientEngine open(Examples examples, Records records, int threads) {
    return LinearEngine.of(model, examples, threads).with(metrics, unit, records);
  }
}
