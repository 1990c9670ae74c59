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
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Realized;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.AccountantComparison;
import org.sordino.report.Decimals;
import org.sordino.report.Document;
import org.sordino.report.ExecutedRun;
import org.sordino.report.SolveFor;
import org.sordino.report.TextTable;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The guarantee of a run in words, computed from what was executed rather than from what was
 * planned. It is meant for publication. The only number in it that is computed from records without
 * noise is the number of records, unless that was declared. The first part is written for a
 * data-protection officer, the technical record for an engineer.
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
        AccountantComparison.of(new SolveFor(SolveFor.Target.EPSILON, info.delta()), executed);
  }

  /** Returns the statement of a run directory. An unfinished run is charged its whole plan. */
  static PrivacyStatement of(RunDirectory run) {
    TrainingPlan plan = run.plan();
    LedgerContents ledger = run.ledger();
    requireSame(run, plan, ledger);
    return new PrivacyStatement(run.info(), plan, ExecutedRun.charged(ledger, plan));
  }

  /**
   * Returns the certified upper end of epsilon: null if the randomness was not secret, infinite if
   * there was no noise.
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

  /** Returns the results of all accountants for the run. */
  public AccountantComparison comparison() {
    return comparison;
  }

  /** Returns what the guarantee does not cover and what to do about it, one line each. */
  public List<String> limits() {
    return new StatementSummary(this)
        .limits().entrySet().stream()
            .map(limit -> limit.getKey() + ": " + limit.getValue())
            .toList();
  }

  /** Returns the guarantee, or empty if none can be stated. */
  public Optional<PrivacyBudget> guarantee() {
    return refusal().isPresent()
        ? Optional.empty()
        : Optional.of(new PrivacyBudget(comparison.guarantee(), info.delta()));
  }

  /** Returns the statement for programs: guarantee, accountants, ledger head and limits. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", comparison.guarantee());
    json.putAll(comparison.json());
    json.put("limits", limits());
    return json;
  }

  /** Returns the ledger head in {@link #json}, which reveals lines that were removed later. */
  static Head knownHead(Map<String, @Nullable Object> json) {
    if (json.get("ledgerLines") instanceof Long lines
        && json.get("ledgerChain") instanceof String chain) {
      return new Head(lines, chain);
    }
    throw new RunDamagedException(JSON + " has no ledger head; restore it from a copy");
  }

  /** Returns the ledger head in a statement of version 0.1, which has no {@link #JSON} file. */
  static Head headInText(String text) {
    Matcher matcher = HEAD.matcher(text);
    return matcher.find()
        ? new Head(Long.parseLong(matcher.group(1)), matcher.group(2))
        : Head.NONE;
  }

  /**
   * Requires the plan that was executed, because the statement takes the bounds from it. Less noise
   * than planned is no sign of another plan if the steps were reserved as planned: such a run is
   * charged with the noise in its ledger.
   */
  private static void requireSame(RunDirectory run, TrainingPlan plan, LedgerContents ledger) {
    PrivacyPlan privacy = plan.privacy();
    boolean same =
        ledger.header().population() == privacy.population()
            && ledger.header().neighboring() == privacy.neighboring()
            && ledger.header().unit().equals(plan.unit().noun());
    boolean asPlanned = isReservedAsPlanned(privacy, ledger);
    for (Realized realized : realized(ledger)) {
      same &=
          IntStream.range(0, plan.mechanism().groups().size())
              .anyMatch(g -> isSame(plan, g, realized, asPlanned));
    }
    if (!same) {
      throw new RunDamagedException(
          run.file("plan.json")
              + " must be the plan of the ledger in the same folder, got another plan; restore it"
              + " from a copy");
    }
  }

  private static boolean isReservedAsPlanned(PrivacyPlan plan, LedgerContents ledger) {
    PrivacyEvent step =
        new PrivacyEvent.SampledGaussian(plan.samplingRate(), plan.noiseMultiplier());
    return ledger.entries().stream()
        .allMatch(
            entry -> !(entry instanceof Entry.Reserve reserve) || reserve.perStep().equals(step));
  }

  /** Adaptive bounds change together with their noise, so the ratio must not decrease. */
  private static boolean isSame(TrainingPlan plan, int g, Realized realized, boolean orLess) {
    VectorGroup group = plan.mechanism().groups().get(g);
    double deviation = plan.mechanism().groupDeviation(g);
    if (!group.name().equals(realized.group())) {
      return false;
    }
    if (plan.adaptive() != null) {
      double ratio = deviation / group.bound();
      return orLess || realized.deviation() >= ratio * realized.bound() * (1 - 1e-12);
    }
    return group.bound() == realized.bound()
        && (deviation == realized.deviation() || orLess && realized.deviation() < deviation);
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

  /** Returns why no guarantee can be stated, or empty if there is a guarantee. */
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

  /** Returns the guarantee in one sentence. */
  public String headline() {
    return refusal().isEmpty()
        ? "This model satisfies (%s, %s)-differential privacy for every %s."
            .formatted(epsilon(), delta(), unit())
        : "There is no privacy guarantee for this run: " + refusal().get() + ".";
  }

  /** Returns the statement as Markdown, the content of {@code statement.md}. */
  public String markdown() {
    return "# Privacy statement\n\n" + prose().markdown();
  }

  /** Returns everything below the title: a summary for all readers, then the technical record. */
  Document prose() {
    Document prose = new Document().callout(headline());
    if (refusal().isPresent()) {
      return prose
          .paragraph(
              "Treat the model, and everything else that this run wrote, as if it were the records"
                  + " themselves. To get a guarantee, train again with noise and without an insecure"
                  + " seed.")
          .properties(Map.of("Ledger", executed.ledger().head().describe()));
    }
    StatementSummary summary = new StatementSummary(this);
    prose.heading("Summary").properties(summary.rows());
    prose.heading("Not covered").properties(summary.limits());
    verification(prose);
    prose.heading("Technical record").properties(record());
    prose.heading("Clipping and noise").table(bounds());
    adaptation(prose);
    prose.heading("Accountants").paragraph(accountants()).table(comparison.table());
    return prose
        .heading("Membership inference")
        .paragraph(attackers())
        .table(comparison.attackTable());
  }

  private void verification(Document prose) {
    prose
        .heading("How to verify")
        .paragraph(
            "Recompute epsilon from the ledger with the command below. Every line of the ledger"
                + " contains a checksum of all lines before it. To detect missing lines, compare"
                + " the number of lines and the last checksum (chain) with those in the technical"
                + " record. Keep a copy of this statement outside the run directory.")
        .command("sordino account --ledger ledger.jsonl --delta " + delta());
  }

  private Map<String, String> record() {
    PrivacyPlan privacy = plan.privacy();
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("Neighboring data sets", plan.unit().protection(executed.neighboring()));
    rows.put("Record, sampled and clipped as a whole", content());
    rows.put("Mechanism", executed.describe());
    rows.put(
        "Sampling",
        "Poisson sampling: each record is included in a step independently of all others; "
            + "expected batch size %s of %s records"
                .formatted(PlanSummary.batch(privacy), Decimals.grouped(privacy.population())));
    rows.put(
        "Number of records",
        info.declared().population()
            ? "declared as a public number"
            : "counted in the data, not covered by the guarantee");
    rows.put(
        "Schema",
        info.declared().schema()
            ? "declared; if it was derived from these records, that step is not covered"
            : "taken from the records, not covered by the guarantee");
    if (info.task().holdout() > 0) {
      rows.put(
          "Test split",
          plan.unit().isUser()
              ? "users were held out with all of their examples, chosen by public randomness and user ID"
              : "records were held out, chosen by public randomness and position");
    }
    rows.put("Randomness", "AES-256 in counter mode, with a secret key from the operating system");
    rows.put(
        "Accountant",
        "exact privacy loss: epsilon at delta %s lies between %s and %s (method: %s)"
            .formatted(
                delta(),
                Decimals.down(comparison.tight().lower(), 12),
                Decimals.up(comparison.tight().upper(), 12),
                comparison.methodName()));
    interruptions(rows);
    missingNoise(rows);
    rows.put("Ledger", executed.ledger().head().describe());
    rows.put("Run", executed.ledger().header().run() + ", started " + info.started());
    rows.put("Software", "Sordino " + info.version());
    return rows;
  }

  private String content() {
    String examples = Decimals.grouped(plan.unit().examples());
    return switch (plan.unit().kind()) {
      case EXAMPLE ->
          "one example"
              + (info.task().query() == null
                  ? ""
                  : ": one row of the result of " + info.task().query().strip());
      case MICROBATCH ->
          "the examples of one slot, %s on average; the slot of an example depends on its content only"
              .formatted(examples);
      case USER ->
          "at most %s examples of one %s, combined into the mean of their gradients"
              .formatted(examples, info.owner(plan.unit()));
      case USER_UPDATE ->
          "at most %s examples of one %s, combined into the model update from local training"
              .formatted(examples, info.owner(plan.unit()));
    };
  }

  private void interruptions(Map<String, String> rows) {
    List<String> queries = new ArrayList<>();
    List<String> restarts = new ArrayList<>();
    for (Entry entry : executed.ledger().entries()) {
      if (entry instanceof Entry.Restart restart) {
        restarts.add(
            "from step %s, because %s"
                .formatted(Decimals.grouped(restart.from()), restart.reason()));
      } else if (entry instanceof Entry.Query query) {
        queries.add(PlanSummary.displayName(query.name()) + noise(query.event()));
      }
    }
    if (!queries.isEmpty()) {
      rows.put("Private queries over all records, included", String.join("; ", queries));
    }
    if (!restarts.isEmpty()) {
      rows.put(
          "Restarts", String.join("; ", restarts) + "; the steps that were repeated count twice");
    }
  }

  /** Names the smallest noise multiplier of a step if it is below the planned one. */
  private void missingNoise(Map<String, String> rows) {
    double planned = plan.privacy().noiseMultiplier();
    double least = planned;
    for (PrivacyEvent event : executed.kinds().keySet()) {
      if (event instanceof PrivacyEvent.SampledGaussian step) {
        least = Math.min(least, step.noiseMultiplier());
      }
    }
    if (least < planned * (1 - 1e-9)) {
      rows.put(
          "Noise",
          "according to the ledger, some steps added less noise than planned: noise multiplier %s"
                  .formatted(Decimals.brief(least))
              + " instead of %s; epsilon is computed from the noise in the ledger"
                  .formatted(Decimals.brief(planned)));
    }
  }

  private static String noise(PrivacyEvent event) {
    return event instanceof PrivacyEvent.Gaussian gaussian
        ? " (noise multiplier " + Decimals.brief(gaussian.noiseMultiplier()) + ")"
        : "";
  }

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
            "bound on the L2 norm",
            "standard deviation of the noise",
            "share of the privacy cost"),
        rows);
  }

  private void adaptation(Document prose) {
    if (plan.adaptive() != null) {
      prose.paragraph(
          ("Adaptive clipping: after every step, the noisy metric unclipped moved the bounds of the"
                  + " gradients toward the %s quantile of the gradient norms. The table shows the"
                  + " first step; the ledger contains the bounds of every step. The ratio of noise"
                  + " to bound was constant.")
              .formatted(Decimals.plain(plan.adaptive().quantile())));
    }
  }

  private String accountants() {
    return "Epsilon at delta %s. The first row is the guarantee. The other rows are computed"
            .formatted(delta())
        + " independently, for comparison.";
  }

  private String attackers() {
    return "The table limits every attack on one %s by someone who sees the model and knows all other"
            .formatted(unit())
        + " records. The false positive rate is the share of non-members that the attacker takes"
        + " for members; the true positive rate is the share of members that the attacker"
        + " identifies.";
  }

  /** Returns the name of the data without its folder, which may identify a person. */
  String dataName() {
    String data = info.task().data();
    if (data == null) {
      return "the data";
    }
    if (TableLocation.isDatabase(data)) {
      return data;
    }
    Path name = Path.of(data).getFileName();
    return name == null ? "the data" : name.toString();
  }

  /** Returns the protected unit as a noun. If a slot may be replaced, each example is protected. */
  String unit() {
    boolean slots = plan.unit().kind() == Unit.Kind.MICROBATCH;
    return slots && executed.neighboring() == Neighboring.REPLACE_ONE
        ? "example"
        : executed.ledger().header().unit().toLowerCase(Locale.ROOT);
  }
}
