package org.sordino.examples;

import java.nio.file.Path;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.run.BudgetFile;
import org.sordino.run.BudgetRefusedException;
import org.sordino.run.Run;
import org.sordino.run.TableTraining;
import org.sordino.table.DemoCensus;

/** Two runs share one privacy budget; a third run is refused. Argument: a folder. */
public final class SharedBudget {

  private SharedBudget() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    Path file = folder.resolve("census.budget.json");
    BudgetFile budget =
        BudgetFile.create(
            file, new PrivacyBudget(1.4, 1e-5), Neighboring.ADD_OR_REMOVE_ONE, "the census");

    for (String name : new String[] {"spring", "summer", "autumn"}) {
      try {
        Run run = training(file).train(folder.resolve(name));
        System.out.println(name + ": " + run.statement().headline());
      } catch (BudgetRefusedException e) {
        System.out.println(name + ": refused, nothing was trained");
      }
      System.out.printf("%.0f%% of the budget is left%n", 100 * budget.read().left());
    }
  }

  private static TableTraining training(Path budgetFile) {
    return TableTraining.on(DemoCensus.source(5_000))
        .label("employed")
        .schema(DemoCensus.schema())
        .population(5_000)
        .budget(0.8, 1e-5)
        .options(options -> options.steps(50))
        .budgetFile(budgetFile); // every run is charged before it starts
  }
}
