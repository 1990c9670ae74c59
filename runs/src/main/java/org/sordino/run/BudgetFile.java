package org.sordino.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.ForeignRelease;
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.TrainingPlan;

/**
 * A privacy budget that all runs on the same data share, stored in a file.
 *
 * <p>The cost of a run is reserved before the run starts and settled when it ends. After a crash
 * between the two, the run stays charged as planned, which can only overestimate its cost; resuming
 * the run settles it. Every change locks a second file next to the budget, then reads, checks and
 * durably replaces the budget. Two processes therefore cannot spend the same part of it.
 */
public final class BudgetFile {

  static final String ID = "budget-id";

  private static final long RETRY_MILLISECONDS = 20;

  private final Path file;

  private BudgetFile(Path file) {
    this.file = file;
  }

  /**
   * Opens an existing budget.
   *
   * @throws InvalidInputException if the file does not exist
   */
  public static BudgetFile open(Path file) {
    if (!Files.isRegularFile(file)) {
      throw InvalidInputException.of(
          "a budget file",
          "an existing file",
          file.toString(),
          "create one with 'sordino budget FILE --create --epsilon 3 --delta 1e-5'");
    }
    try {
      // Resolve links: replacing the link itself would leave the target unchanged for other
      // processes.
      return new BudgetFile(file.toRealPath());
    } catch (IOException e) {
      throw new UncheckedIOException("budget " + file + " cannot be read: " + e, e);
    }
  }

  /**
   * Creates a budget.
   *
   * @param file new file in an existing folder
   * @param budget limit on the total privacy cost of all runs
   * @param neighboring neighboring relation of all runs
   * @param data description of the records, shown to people
   * @throws InvalidInputException if the file exists, its folder does not exist, or the budget is
   *     not valid
   */
  public static BudgetFile create(
      Path file, PrivacyBudget budget, Neighboring neighboring, String data) {
    return create(file, budget, new PrivacyBudget(0, 0), neighboring, data);
  }

  /**
   * Creates a budget that also covers releases of other tools on the same data.
   *
   * @param foreign the part of {@code budget} that is reserved for these releases: its epsilon must
   *     be below that of the budget, and its delta at most half of it
   * @see #create(Path, PrivacyBudget, Neighboring, String)
   */
  public static BudgetFile create(
      Path file,
      PrivacyBudget budget,
      PrivacyBudget foreign,
      Neighboring neighboring,
      String data) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw InvalidInputException.of(
          "a budget file", "in an existing folder", file.toString(), "create the folder");
    }
    BudgetFile created = new BudgetFile(file.toAbsolutePath());
    created.locked(
        () -> {
          if (Files.exists(file)) {
            throw InvalidInputException.of(
                "a budget file",
                "a new file",
                file.toString(),
                "keep using this budget, because a budget for the same data is never reset");
          }
          created.write(BudgetContents.of(budget, foreign, neighboring, data));
        });
    return created;
  }

  /**
   * Reads the current content of the file.
   *
   * @throws RunDamagedException if the file is not a valid budget
   */
  public BudgetContents read() {
    try {
      return BudgetContents.fromJson(Files.readString(file));
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(
          "budget " + file + " is damaged: " + e.getMessage() + "; restore it from a copy");
    } catch (IOException e) {
      throw new UncheckedIOException("budget " + file + " cannot be read: " + e, e);
    }
  }

  /** Requires that a run has the neighboring relation of the budget. */
  private void requireRelation(Neighboring relation) {
    Neighboring own = read().neighboring();
    if (own != relation) {
      throw new InvalidInputException(
          "`budgetFile` must have the neighboring relation of the run, "
              + relation
              + ", got "
              + own
              + "; use another budget or change the neighboring relation of the run");
    }
  }

  /**
   * The entry of one run in a budget. A budget of version 0.1 counts the plan of the run until it
   * is settled, then what it executed. Newer budgets always count the plan.
   *
   * @param budget budget that contains the entry
   * @param id identifier of the run in the budget
   */
  public record Reservation(BudgetFile budget, String id) {

    /**
     * Replaces the reserved cost of a run that has to count steps again. The change is durable when
     * this method returns.
     *
     * @param all everything that the run has executed and will execute
     * @throws BudgetRefusedException if the cost exceeds the budget; the budget is unchanged
     */
    public void recount(PrivacyEvent all) {
      budget.recount(id, all);
    }

    /**
     * Records what a finished run executed. A budget of version 0.1 counts it from now on. Newer
     * budgets never lower the cost of a run. Both record a cost above the reserved one, because the
     * privacy loss has already occurred. The change is durable when this method returns.
     */
    public void settle(LedgerContents executed) {
      budget.settle(id, executed.event());
    }
  }

  /**
   * Reserves the cost of a run before it starts. The change is durable when this method returns. A
   * run that is never settled stays charged as planned.
   *
   * @param plan plan of the run
   * @param owner protected unit: the noun of the plan's unit, or {@link #usersOf} a column; must be
   *     the same for all runs of a budget
   * @param place directory of the run, shown to people
   * @throws InvalidInputException if the neighboring relation or the protected unit differs from
   *     that of the budget
   * @throws BudgetRefusedException if the cost exceeds the budget; the budget is unchanged
   */
  public Reservation reserve(TrainingPlan plan, String owner, Path place) {
    return reserve(plan, owner, place.toAbsolutePath().normalize().toString());
  }

  /**
   * Reserves the cost of a run that has no directory.
   *
   * @param place description of the run, shown to people
   * @see #reserve(TrainingPlan, String, Path)
   */
  public Reservation reserve(TrainingPlan plan, String owner, String place) {
    requireRelation(plan.privacy().neighboring());
    String id = UUID.randomUUID().toString();
    reserve(id, place, plan.event(), owner);
    return new Reservation(this, id);
  }

  /** Returns the reservation that an earlier process made for a run. */
  public Reservation reservation(String id) {
    return new Reservation(this, id);
  }

  /**
   * Reserves the cost of a run before it starts. The change is durable when this method returns.
   *
   * @param id unique identifier of the run. A new run in the directory of an earlier one needs a
   *     new identifier, because the earlier run stays charged
   * @param directory directory of the run, shown to people
   * @param planned everything that the run has executed and will execute
   * @param unit protected unit, as in the ledger or from {@link #usersOf}; must be the same for all
   *     runs
   * @throws BudgetRefusedException if the cost exceeds the budget; the budget is unchanged
   */
  void reserve(String id, String directory, PrivacyEvent planned, String unit) {
    change(budget -> budget.reserve(id, directory, planned, unit));
  }

  /**
   * Returns the protected unit of runs that protect the users in a column. Different columns may
   * identify different people, so runs on different columns cannot share a budget.
   */
  public static String usersOf(String column) {
    return "user (column " + column + ")";
  }

  /**
   * Replaces the reserved cost of a run that has to count steps again. The change is durable when
   * this method returns.
   *
   * @param all everything that the run has executed and will execute
   * @throws BudgetRefusedException if the cost exceeds the budget; the budget is unchanged
   */
  void recount(String id, PrivacyEvent all) {
    change(budget -> budget.recount(id, all));
  }

  /**
   * Adds a release that another tool made from the same records. The change is durable when this
   * method returns. Add a release before it is made: whether it is made may then depend on the
   * answer.
   *
   * @param description what is released, shown to people
   * @throws InvalidInputException if the budget is of version 0.1
   * @throws BudgetRefusedException if the cost exceeds the budget; the budget is unchanged
   */
  public void add(String description, ForeignRelease cost) {
    change(budget -> budget.add(new BudgetContents.Release(description, cost)));
  }

  /** Stores the identifier of a run in its directory. */
  public static void keepId(Path directory, String id) {
    try {
      Files.createDirectories(directory);
      DurableFiles.replace(directory.resolve(ID), (id + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " cannot be written: " + e, e);
    }
  }

  /** Returns the identifier stored in a run directory; empty if the run has no budget. */
  public static Optional<String> idIn(Path directory) {
    try {
      Path file = directory.resolve(ID);
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " cannot be read: " + e, e);
    }
  }

  /**
   * Records what a run executed; see {@link Reservation#settle}. The change is durable when this
   * method returns.
   */
  void settle(String id, PrivacyEvent executed) {
    change(budget -> budget.settle(id, executed));
  }

  private void change(UnaryOperator<BudgetContents> change) {
    locked(() -> write(change.apply(read())));
  }

  private void write(BudgetContents budget) {
    try {
      DurableFiles.replace(file, (budget.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("budget " + file + " cannot be written: " + e, e);
    }
  }

  /**
   * Runs an action while no other process or thread can change the file. The file lock excludes
   * other processes; the monitor excludes other threads of this class loader.
   */
  private void locked(Runnable action) {
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    synchronized (BudgetFile.class) {
      try (FileChannel channel =
          FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        lock(channel); // released with the channel, even if the process is killed
        action.run();
      } catch (IOException e) {
        throw new UncheckedIOException("budget " + file + " cannot be locked: " + e, e);
      }
    }
  }

  /**
   * Locks the file, retrying while another class loader of this process (in an application server)
   * holds the lock.
   */
  private static void lock(FileChannel channel) throws IOException {
    while (true) {
      try {
        channel.lock();
        return;
      } catch (OverlappingFileLockException e) {
        try {
          Thread.sleep(RETRY_MILLISECONDS);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted while waiting for the lock", interrupted);
        }
      }
    }
  }
}
