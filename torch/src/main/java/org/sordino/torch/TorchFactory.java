package org.sordino.torch;

import java.util.List;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Records;
import org.sordino.training.Unit;

/**
 * Networks over rows of a table, wherever they are. Where a table is cut into parts, each part is
 * cut into batches on its own, so the sums depend on the parts in their last bits. {@link
 * TorchEngine#roundingSlack} then holds for a record whose place is left empty; one that is taken
 * out moves others from part to part, which it does not cover.
 *
 * @param architecture as JSON, because it travels
 * @param loss what is minimized
 * @param coins dropout masks come from it; public
 * @param microbatch as in {@link TorchEngine.Options}
 * @param metrics what a record yields beside its gradient
 * @param unit what a record is
 */
public record TorchFactory(
    String architecture,
    Loss loss,
    RandomKey coins,
    int microbatch,
    List<Layout.Vector> metrics,
    Unit unit)
    implements EngineFactory {

  /** A factory with the usual micro-batch. */
  public static TorchFactory of(Architecture architecture, Loss loss, RandomKey coins) {
    return new TorchFactory(
        architecture.toJson(),
        loss,
        coins,
        TorchEngine.Options.defaults().microbatch(),
        List.of(),
        Unit.example());
  }

  private Architecture model() {
    return Architecture.fromJson(architecture);
  }

  @Override
  public Layout layout() {
    return model().layout().with(metrics);
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
  public EngineFactory with(List<Layout.Vector> asked, Unit other) {
    return new TorchFactory(architecture, loss, coins, microbatch, asked, other);
  }

  @Override
  public GradientEngine open(Examples examples, Records records, int threads) {
    return TorchEngine.of(
        model(),
        loss,
        TorchData.of(examples),
        coins,
        new TorchEngine.Options(threads, microbatch),
        new TorchEngine.Contributions(metrics, unit, records));
  }
}
