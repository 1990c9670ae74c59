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
import org.sordino.ledger.DurableFiles;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.TrainingPlan;

/**
 * A budget that all runs on the same data share, in a file of its own.
 *
 * <p>A run is reserved before it starts and settled when it ends. A crash between the two leaves it
 * counted as planned, which can only count too much; the resumed run settles it. Every change reads
 * the file, checks and replaces it durably while it holds a lock on a file beside it, so two
 * processes cannot both take what is left.
 */
public final class BudgetFile {

  static final String ID = "budget-id";

  private static final long RETRY_MILLISECONDS = 20;

  private final Path file;

  private BudgetFile(Path file) {
    this.file = file;
  }

  /** A budget that exists. */
  public static BudgetFile open(Path file) {
    if (!Files.isRegularFile(file)) {
      throw InvalidInputException.of(
          "a budget file",
          "a file that exists",
          file.toString(),
          "make one with 'sordino budget FILE --create --epsilon 3 --delta 1e-5'");
    }
    try {
      // A link must not be replaced by a file: others would go on with the old one.
      return new BudgetFile(file.toRealPath());
    } catch (IOException e) {
      throw new UncheckedIOException("budget " + file + " cannot be read: " + e, e);
    }
  }

  /**
   * Begins a budget.
   *
   * @param data what the records are, for people
   */
  public static BudgetFile create(
      Path file, PrivacyBudget budget, Neighboring neighboring, String data) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw InvalidInputException.of(
          "a budget file", "in a folder that exists", file.toString(), "create the folder");
    }
    BudgetFile created = new BudgetFile(file.toAbsolutePath());
    created.locked(
        () -> {
          if (Files.exists(file)) {
            throw InvalidInputException.of(
                "a budget file",
                "new to be created",
                file.toString(),
                "a budget is never begun again for the same data");
          }
          created.write(BudgetContents.of(budget, neighboring, data));
        });
    return created;
  }

  /** What the file says now. */
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

  /** Refuses a run with another neighboring relation than the budget's. */
  private void requireRelation(Neighboring relation) {
    Neighboring own = read().neighboring();
    if (own != relation) {
      throw new InvalidInputException(
          "`budgetFile` must be about the same neighbouring data sets as the run, "
              + relation
              + ", got "
              + own
              + "; use another budget, or let the run match it");
    }
  }

  /**
   * A run's place in a budget: what it may cost until it is settled, then what it did.
   *
   * @param budget the file
   * @param id what the budget calls the run
   */
  public record Reservation(BudgetFile budget, String id) {

    /**
     * Reserves more for a run that has to count steps again; durable on return.
     *
     * @param all everything that the run has done and will do
     * @throws BudgetRefusedException if that is more than is left; nothing was changed
     */
    public void recount(PrivacyEvent all) {
      budget.recount(id, all);
    }

    /** Records what a finished run did, even if it is more than was reserved: it has happened. */
    public void settle(LedgerContents executed) {
      budget.settle(id, executed.event());
    }
  }

  /**
   * Reserves what a run will cost, before it starts; durable on return. If the run ends without
   * being settled, it stays charged as planned.
   *
   * @param owner what the run protects: the noun of its unit, or {@link #usersOf} a column; all
   *     runs of a budget must protect the same
   * @param place where the run is, for people
   * @throws BudgetRefusedException if that is more than is left; nothing was changed
   */
  public Reservation reserve(TrainingPlan plan, String owner, Path place) {
    return reserve(plan, owner, place.toAbsolutePath().normalize().toString());
  }

  /** As {@link #reserve(TrainingPlan, String, Path)}, for a run that has no directory. */
  public Reservation reserve(TrainingPlan plan, String owner, String place) {
    requireRelation(plan.privacy().neighboring());
    String id = UUID.randomUUID().toString();
    reserve(id, place, plan.event(), owner);
    return new Reservation(this, id);
  }

  /** The reservation that an earlier process made for a run. */
  public Reservation reservation(String id) {
    return new Reservation(this, id);
  }

  /**
   * Takes what a run will cost, before it starts; durable on return.
   *
   * @param id the name of the run; another for every run, also if an earlier one was in the same
   *     directory: what was taken for it stays taken
   * @param directory where the run is, for people
   * @param planned all that the run will do, and has done
   * @param unit what the run protects, as in the ledger or from {@link #usersOf}; all runs must
   *     protect the same
   * @throws BudgetRefusedException if that is more than is left; nothing was changed
   */
  void reserve(String id, String directory, PrivacyEvent planned, String unit) {
    change(budget -> budget.reserve(id, directory, planned, unit));
  }

  /** The unit of runs that protect the users of a column: those of another are other people. */
  public static String usersOf(String column) {
    return "user (column " + column + ")";
  }

  /**
   * Takes more for a run that has to count steps again; durable on return.
   *
   * @param all that the run has done and will do
   * @throws BudgetRefusedException if that is more than is left; nothing was changed
   */
  void recount(String id, PrivacyEvent all) {
    change(budget -> budget.recount(id, all));
  }

  /** Notes in a run directory what budgets call the run. */
  public static void keepId(Path directory, String id) {
    try {
      Files.createDirectories(directory);
      DurableFiles.replace(directory.resolve(ID), (id + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " cannot be written: " + e, e);
    }
  }

  /** What budgets call the run of a directory, if it has begun with one. */
  public static Optional<String> idIn(Path directory) {
    try {
      Path file = directory.resolve(ID);
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " cannot be read: " + e, e);
    }
  }

  /**
   * Notes what a run has done; durable on return. This is recorded even if it is more than was
   * reserved: it has happened.
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
   * Runs an action while no other process or thread changes the file. The lock of the operating
   * system is between processes; the monitor is between threads of this class loader.
   */
  private void locked(Runnable action) {
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    synchronized (BudgetFile.class) {
      try (FileChannel channel =
          FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        lock(channel); // released with the channel, also if the process dies
        action.run();
      } catch (IOException e) {
        throw new UncheckedIOException("budget " + file + " cannot be locked: " + e, e);
      }
    }
  }

  /** In an application server, another class loader of this process may hold the lock. */
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
