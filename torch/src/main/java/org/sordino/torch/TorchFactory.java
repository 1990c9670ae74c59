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
 * Creates engines for networks over the rows of a table, wherever the rows are stored. If a table
 * is partitioned, each partition is split into batches separately, so the last bits of the sums
 * depend on the partitions. {@link TorchEngine#roundingSlack} covers one partition that changes.
 * The partition of a record must therefore be determined by its content and by public facts, so
 * that adding or removing a record changes no other partition.
 *
 * @param architecture architecture as JSON, which is serializable
 * @param loss loss to minimize
 * @param publicSeed public seed of the dropout masks
 * @param microbatch average number of records that share a float sum; see {@link
 *     TorchEngine.Options}
 * @param metrics vectors of a record in addition to its gradient
 * @param unit kind of record
 */
public record TorchFactory(
    String architecture,
    Loss loss,
    RandomKey publicSeed,
    int microbatch,
    List<Layout.Vector> metrics,
    Unit unit)
    implements EngineFactory {

  /** Creates a factory with the default microbatch size. */
  public static TorchFactory of(Architecture architecture, Loss loss, RandomKey publicSeed) {
    return new TorchFactory(
        architecture.toJson(),
        loss,
        publicSeed,
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
  public EngineFactory with(List<Layout.Vector> otherMetrics, Unit otherUnit) {
    return new TorchFactory(architecture, loss, publicSeed, microbatch, otherMetrics, otherUnit);
  }

  @Override
  public GradientEngine open(Examples examples, Records records, int threads) {
    return TorchEngine.of(
        model(),
        loss,
        TorchData.of(examples),
        publicSeed,
        new TorchEngine.Options(threads, microbatch),
        new TorchEngine.Contributions(metrics, unit, records));
  }
}
