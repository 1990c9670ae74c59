package org.sordino.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Realized;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.AccountantComparison;
import org.sordino.report.AccountantPanel;
import org.sordino.report.Decimals;
import org.sordino.report.Document;
import org.sordino.report.ExecutedRun;
import org.sordino.report.SolveFor;
import org.sordino.report.TextTable;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The guarantee of a run in words, computed from what was executed and not from what was planned.
 * No number that was computed from records without noise enters it, so that it is safe to publish.
 */
public final class PrivacyStatement {

  static final String FILE = "statement.md";
  static final String JSON = "statement.json";

  private static final int DIGITS = 5;

  private static final Pattern HEAD =
      Pattern.compile("(?m)^Ledger head: (\\d{1,15}) lines, chain ([0-9a-f]{32})$");

  private final RunInfo info;
  private final TrainingPlan plan;
  private final ExecutedRun executed;
  private final AccountantComparison comparison;

  private PrivacyStatement(RunInfo info, TrainingPlan plan, ExecutedRun executed) {
    this.info = info;
    this.plan = plan;
    this.executed = executed;
    this.comparison =
        AccountantComparison.of(new SolveFor(SolveFor.Asked.EPSILON, info.delta()), executed);
  }

  /** The statement of a run directory; of an unfinished run, it charges the whole plan. */
  static PrivacyStatement of(RunDirectory run) {
    TrainingPlan plan = run.plan();
    LedgerContents ledger = run.ledger();
    requireSame(run, plan, ledger);
    return new PrivacyStatement(run.info(), plan, ExecutedRun.charged(ledger, plan));
  }

  /**
   * The certified upper end of epsilon; null if the randomness was not secret, infinite without
   * noise.
   */
  static @Nullable Double epsilon(LedgerContents ledger, double delta) {
    return ledger.header().randomness().equals(Header.SECURE)
        ? TightAccountant.of(ledger.header().neighboring())
            .epsilonBracket(ledger.event(), delta)
            .upper()
        : null;
  }

  RunInfo info() {
    return info;
  }

  TrainingPlan plan() {
    return plan;
  }

  ExecutedRun executed() {
    return executed;
  }

  /** What every accountant computes for the run. */
  public AccountantComparison comparison() {
    return comparison;
  }

  /** What the guarantee does not cover, one sentence each. */
  public List<String> limits() {
    return StatementLimits.of(info, plan, unit());
  }

  /** The guarantee; empty if there is none to state. */
  public Optional<PrivacyBudget> guarantee() {
    return refusal().isPresent()
        ? Optional.empty()
        : Optional.of(new PrivacyBudget(comparison.guarantee(), info.delta()));
  }

  /** The statement for programs: guarantee, accountants, ledger head and limits. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", comparison.guarantee());
    json.putAll(comparison.json());
    json.put("limits", limits());
    return json;
  }

  /** The ledger head in {@link #json}, so that lines that went missing since are noticed. */
  static Head knownHead(Map<String, @Nullable Object> json) {
    if (json.get("ledgerLines") instanceof Long lines
        && json.get("ledgerChain") instanceof String chain) {
      return new Head(lines, chain);
    }
    throw new RunDamagedException(JSON + " has no ledger head; restore it from a copy");
  }

  /** The ledger head in the text of a statement by version 0.1, which wrote no {@code JSON}. */
  static Head headInText(String text) {
    Matcher matcher = HEAD.matcher(text);
    return matcher.find()
        ? new Head(Long.parseLong(matcher.group(1)), matcher.group(2))
        : Head.NONE;
  }

  /** Bounds are read from the plan, so it must be the one that was executed. */
  private static void requireSame(RunDirectory run, TrainingPlan plan, LedgerContents ledger) {
    PrivacyPlan privacy = plan.privacy();
    boolean same =
        ledger.header().population() == privacy.population()
            && ledger.header().neighboring() == privacy.neighboring()
            && ledger.header().unit().equals(plan.unit().noun());
    for (Realized realized : realized(ledger)) {
      same &=
          IntStream.range(0, plan.mechanism().groups().size())
              .anyMatch(g -> isSame(plan, g, realized));
    }
    if (!same) {
      throw new RunDamagedException(
          run.file("plan.json")
              + " must be the plan of the ledger beside it, got another; restore it from a copy");
    }
  }

  /** Bounds that follow the data take their noise along, so that the ratio stays. */
  private static boolean isSame(TrainingPlan plan, int g, Realized realized) {
    VectorGroup group = plan.mechanism().groups().get(g);
    double ratio = plan.mechanism().groupDeviation(g) / group.bound();
    return group.name().equals(realized.group())
        && (plan.adaptive() == null
            ? group.bound() == realized.bound()
                && plan.mechanism().groupDeviation(g) == realized.deviation()
            : realized.deviation() >= ratio * realized.bound() * (1 - 1e-12));
  }

  private static List<Realized> realized(LedgerContents ledger) {
    List<Realized> last = List.of();
    for (Entry entry : ledger.entries()) {
      if (entry instanceof Entry.RealizedEntry realized) {
        last = realized.groups();
      }
    }
    return last;
  }

  /** Why there is no guarantee to state; empty if there is one. */
  public Optional<String> refusal() {
    String flaw = executed.flaw();
    if (flaw != null) {
      return Optional.of(flaw);
    }
    return Double.isFinite(comparison.guarantee())
        ? Optional.empty()
        : Optional.of("sums of records were released without noise");
  }

  String epsilon() {
    return Decimals.up(comparison.guarantee(), DIGITS);
  }

  String delta() {
    return Decimals.plain(info.delta());
  }

  /** The guarantee in one sentence. */
  public String headline() {
    return refusal().isEmpty()
        ? "This model was trained with (%s, %s)-differential privacy for every single %s."
            .formatted(epsilon(), delta(), unit())
        : "There is no privacy guarantee for this run: " + refusal().get() + ".";
  }

  /** The statement as Markdown, the content of {@code statement.md}. */
  public String markdown() {
    String head = "Ledger head: %d lines, chain %s\n".formatted(head().lines(), head().chain());
    return "# Privacy statement\n\n" + prose().markdown() + "\n" + head;
  }

  /** All but the title and the head of the ledger. */
  Document prose() {
    Document prose = new Document().callout(headline());
    if (refusal().isPresent()) {
      return prose.paragraph(
          "The model and everything else that came out of this run must be treated as if it were"
              + " the records themselves. Train again without an insecure seed and with noise.");
    }
    meaning(prose);
    mechanism(prose);
    cost(prose);
    attacks(prose);
    limits(prose);
    return check(prose);
  }

  private void meaning(Document prose) {
    double factor = Math.exp(comparison.guarantee());
    prose.paragraph(
        ("Neighbouring data sets: %s. For any two of them, whatever can be seen of the model is at"
                + " most %s times (e to the power epsilon) as likely with one as with the other,"
                + " but for a probability of delta, %s.")
            .formatted(protection(), Decimals.up(factor, 4), delta()));
  }

  private void mechanism(Document prose) {
    PrivacyPlan privacy = plan.privacy();
    List<String> items = new ArrayList<>();
    items.add("Protected: %s.".formatted(protection()));
    items.add("A record, which is drawn and bounded as a whole: %s.".formatted(record()));
    items.add("Executed: %s.".formatted(executed.describe()));
    items.add(
        "Sampling: in every step a coin of its own decided about each record (Poisson sampling);"
            + " %s of %s records expected."
                .formatted(batch(privacy), Decimals.grouped(privacy.population())));
    items.add(
        "Population: %s."
            .formatted(
                info.declared().population()
                    ? "declared, a public number"
                    : "taken from the file, outside the guarantee"));
    items.add("Randomness: secret, from the cryptographic generator of the operating system.");
    items.add(
        executed.ledger().finished()
            ? "The run is finished."
            : "The run is not finished and is charged its whole plan.");
    items.addAll(interruptions());
    prose.heading("What was done").list(items).table(bounds());
    if (plan.adaptive() != null) {
      prose.paragraph(
          ("The bounds of gradients followed the data, towards what a share of %s of the records is"
                  + " within, as the metric unclipped says with noise. The table has those of the"
                  + " first step, the ledger those of every step; noise over bound never changed.")
              .formatted(Decimals.plain(plan.adaptive().quantile())));
    }
  }

  /** Which data sets must look alike. */
  private String protection() {
    return plan.unit().protection(executed.neighboring());
  }

  private String record() {
    String examples = Decimals.grouped(plan.unit().examples());
    return switch (plan.unit().kind()) {
      case EXAMPLE -> "one example";
      case MICROBATCH ->
          "the examples of one slot, %s on average; the content of an example alone decides about"
                  .formatted(examples)
              + " its slot";
      case USER ->
          "at most %s examples of one %s, as the mean of their gradients"
              .formatted(examples, info.owner(plan.unit()));
      case USER_UPDATE ->
          "at most %s examples of one %s, as the change that training on them alone makes"
              .formatted(examples, info.owner(plan.unit()));
    };
  }

  private static String batch(PrivacyPlan privacy) {
    double batch = privacy.expectedBatch();
    return batch == Math.rint(batch) ? Decimals.grouped((long) batch) : Decimals.brief(batch);
  }

  private List<String> interruptions() {
    List<String> items = new ArrayList<>();
    for (Entry entry : executed.ledger().entries()) {
      if (entry instanceof Entry.Restart restart) {
        items.add(
            "Restarted from step %s, because %s; steps that were done again are counted again."
                .formatted(Decimals.grouped(restart.from()), restart.reason()));
      } else if (entry instanceof Entry.Query query) {
        items.add(
            "Asked of all records outside the steps, and counted: %s%s."
                .formatted(query.name(), noise(query.event())));
      }
    }
    return items;
  }

  private static String noise(PrivacyEvent event) {
    return event instanceof PrivacyEvent.Gaussian gaussian
        ? ", with noise multiplier " + Decimals.brief(gaussian.noiseMultiplier())
        : "";
  }

  /** What one record may contribute, and the noise that hides it. */
  private TextTable bounds() {
    List<List<String>> rows = new ArrayList<>();
    List<VectorGroup> groups = plan.mechanism().groups();
    for (int g = 0; g < groups.size(); g++) {
      VectorGroup group = groups.get(g);
      rows.add(
          List.of(
              group.name(),
              String.join(", ", group.vectors()),
              group.gamma() > 0 ? "scaled to the bound" : "clipped to the bound",
              Decimals.brief(group.bound()),
              Decimals.brief(plan.mechanism().groupDeviation(g)),
              PlanSummary.share(plan.mechanism(), g)));
    }
    return new TextTable(
        List.of(
            "group",
            "vectors of a record",
            "rule",
            "bound on the norm",
            "noise on the sum",
            "share of the cost"),
        rows);
  }

  private void cost(Document prose) {
    prose
        .heading("The cost")
        .paragraph(
            ("Epsilon at delta %s. The guarantee is the certified upper end of the first line: the"
                    + " exact epsilon lies between %s and %s (method: %s). The others are computed"
                    + " independently of it.")
                .formatted(
                    delta(),
                    Decimals.down(comparison.tight().lower(), 12),
                    Decimals.up(comparison.tight().upper(), 12),
                    comparison.methodName()))
        .table(costs());
  }

  private TextTable costs() {
    List<List<String>> rows = new ArrayList<>();
    for (AccountantComparison.Entry entry : comparison.entries()) {
      AccountantPanel.Member member = entry.member();
      Double value = entry.value();
      boolean bound = member.accountant().evidence() == Accountant.Evidence.BOUND;
      String text =
          value == null ? "" : bound ? Decimals.up(value, DIGITS) : Decimals.nearest(value, DIGITS);
      rows.add(List.of(member.name(), text, member.kind(), member.method()));
    }
    return new TextTable(List.of("accountant", "epsilon", "what it is", "method"), rows);
  }

  private void attacks(Document prose) {
    List<String> items =
        comparison.attacks().stream()
            .map(
                attack ->
                    "and is wrong about %s %% of the unused is right about at most %s %% of the used"
                        .formatted(
                            Decimals.plain(100 * attack.falsePositiveRate()),
                            Decimals.up(100 * attack.truePositiveRate(), 3)))
            .toList();
    prose
        .heading("What an attacker can do")
        .paragraph(
            "Anybody who tries to tell from the model whether a record was used, knowing all other"
                + " records,")
        .list(items);
  }

  private void limits(Document prose) {
    prose.heading("What this does not cover").list(limits());
  }

  private Document check(Document prose) {
    String started = info.started();
    return prose
        .heading("Where it comes from, and how to check it")
        .paragraph(
            ("Run %s of %s, started %s, with Sordino %s. Everything above was computed from the"
                    + " run's ledger of %s lines, in which every line carries a checksum of all"
                    + " lines before it; its head stands at the end of this statement, so that a"
                    + " shortened ledger is noticed. To compute the cost again:")
                .formatted(
                    executed.ledger().header().run(),
                    dataName(),
                    started,
                    info.version(),
                    Decimals.grouped(head().lines())))
        .command("sordino account --ledger ledger.jsonl --delta " + delta());
  }

  /** The name of the data, without the folders of whoever ran this. */
  String dataName() {
    String data = info.task().data();
    if (data == null) {
      return "data without a name";
    }
    if (TableLocation.isDatabase(data)) {
      return data;
    }
    Path name = Path.of(data).getFileName();
    return name == null ? "data without a name" : name.toString();
  }

  /** Who is protected, in one word: of a slot that may be replaced, every single example. */
  private String unit() {
    boolean slots = plan.unit().kind() == Unit.Kind.MICROBATCH;
    return slots && executed.neighboring() == Neighboring.REPLACE_ONE
        ? "example"
        : executed.ledger().header().unit().toLowerCase(Locale.ROOT);
  }

  private Head head() {
    return executed.ledger().head();
  }
}
