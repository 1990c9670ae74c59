package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.Head;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.random.RandomKey;

/** Tests the decision for every combination of ledger, checkpoint, key and pins. */
class ResumeDecisionTest {

  private static final RandomKey KEY = RandomKey.insecure(1);
  private static final String KEY_LOST = "the key of the run was not found";
  private static final String CHECKPOINT_LOST = "the checkpoint was not found";
  private static final String CHANGED = "records, plan, program, Java or processor have changed";

  /** States of a ledger. */
  enum State {
    HEADER_ONLY,
    QUERY_ASKED,
    STEPS_RESERVED,
    RESTARTED_AT_0,
    FINISHED
  }

  private static LedgerContents ledger(State state) {
    Header header = Header.of("run", Neighboring.ADD_OR_REMOVE_ONE, "example", 500, Header.SECURE);
    PrivacyEvent event = new PrivacyEvent.Gaussian(2);
    try (Ledger ledger = Ledger.inMemory(header)) {
      switch (state) {
        case HEADER_ONLY -> {}
        case QUERY_ASKED -> ledger.query("mean", event);
        case STEPS_RESERVED -> ledger.reserve(event, 0, 10);
        case RESTARTED_AT_0 -> {
          ledger.reserve(event, 0, 10);
          ledger.restart(0, "test");
        }
        case FINISHED -> {
          ledger.reserve(event, 0, 10);
          ledger.finish(10);
        }
      }
      return ledger.contents();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // ledger, pins of the checkpoint, key, current pins, decision, lookups
    "HEADER_ONLY, -, -, same, BEGIN, nothing",
    "HEADER_ONLY, -, found, same, BEGIN, nothing",
    "HEADER_ONLY, same, found, same, REPLAY, key pins",
    "HEADER_ONLY, same, -, same, KEY_LOST, key",
    "HEADER_ONLY, same, found, other, CHANGED, key pins",
    "QUERY_ASKED, -, -, same, BEGIN, nothing",
    "QUERY_ASKED, same, found, same, REPLAY, key pins",
    "QUERY_ASKED, same, -, same, KEY_LOST, key",
    "QUERY_ASKED, same, found, other, CHANGED, key pins",
    "STEPS_RESERVED, same, found, same, REPLAY, key pins",
    "STEPS_RESERVED, same, found, other, CHANGED, key pins",
    "STEPS_RESERVED, same, -, same, KEY_LOST, key",
    "STEPS_RESERVED, -, found, same, CHECKPOINT_LOST, key",
    "STEPS_RESERVED, -, -, same, KEY_LOST, key",
    "RESTARTED_AT_0, -, found, same, BEGIN, nothing",
    "RESTARTED_AT_0, same, found, same, REPLAY, key pins",
    "RESTARTED_AT_0, same, found, other, CHANGED, key pins",
    "FINISHED, same, found, same, FINISHED, nothing",
    "FINISHED, same, -, other, FINISHED, nothing",
    "FINISHED, -, -, same, FINISHED, nothing",
  })
  void decision(
      State ledger, String saved, String key, String pins, String expected, String lookedAt) {
    Optional<Checkpoint> checkpoint =
        saved.equals("-")
            ? Optional.empty()
            : Optional.of(new Checkpoint(3, Head.NONE, saved, new double[0][]));
    List<String> looked = new ArrayList<>();
    ResumeDecision decision =
        ResumeDecision.of(
            ledger(ledger),
            checkpoint,
            () -> {
              looked.add("key");
              return key.equals("-") ? Optional.empty() : Optional.of(KEY);
            },
            given -> {
              assertThat(given).isEqualTo(KEY);
              looked.add("pins");
              return pins;
            });
    assertThat(decision).isEqualTo(decision(expected));
    assertThat(looked.isEmpty() ? "nothing" : String.join(" ", looked)).isEqualTo(lookedAt);
  }

  private static ResumeDecision decision(String name) {
    return switch (name) {
      case "FINISHED" -> new ResumeDecision.Finished();
      case "BEGIN" -> new ResumeDecision.Begin();
      case "REPLAY" -> new ResumeDecision.Replay(KEY, "same");
      case "KEY_LOST" -> new ResumeDecision.Restart(KEY_LOST);
      case "CHECKPOINT_LOST" -> new ResumeDecision.Restart(CHECKPOINT_LOST);
      case "CHANGED" -> new ResumeDecision.Restart(CHANGED);
      default -> throw new IllegalArgumentException(name);
    };
  }
}
