package org.sordino.torch;

import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;

/**
 * Networks over rows of a table, wherever they are. Where a table is cut into parts, the sums have
 * the guarantee of {@link TorchEngine#roundingSlack} and depend, in their last bits, on the parts:
 * each part is cut into batches on its own.
 *
 * @param architecture as JSON, because it travels
 * @param loss what is minimised
 * @param coins dropout masks come from it; public
 * @param microbatch as in {@link TorchEngine.Options}
 */
public record TorchFactory(String architecture, Loss loss, RandomKey coins, int microbatch)
    implements EngineFactory {

  /** A factory with the usual micro-batch. */
  public static TorchFactory of(Architecture architecture, Loss loss, RandomKey coins) {
    return new TorchFactory(
        architecture.toJson(), loss, coins, TorchEngine.Options.defaults().microbatch());
  }

  private Architecture model() {
    return Architecture.fromJson(architecture);
  }

  @Override
  public Layout layout() {
    return model().layout();
  }

  @Override
  public int inputs() {
    return Shapes.size(model().input());
  }

  @Override
  public String refusal(Examples examples) {
    return loss == Loss.CROSS_ENTROPY
        ? EngineFactory.refuseOtherClasses(examples, Shapes.size(model().output()))
        : "";
  }

  @Override
  public GradientEngine open(Examples examples, int threads) {
    Architecture model = model();
    TorchData data = TorchData.of(examples);
    return TorchEngine.of(model, loss, data, coins, new TorchEngine.Options(threads, microbatch));
  }
}
