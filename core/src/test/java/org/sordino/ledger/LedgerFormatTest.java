package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * Checks that the example in docs/reference/ledger-format.md is a valid ledger that matches the
 * text of the page.
 */
class LedgerFormatTest {

  private static final PrivacyEvent STEP = new PrivacyEvent.SampledGaussian(0.01, 4);
  private static final PrivacyEvent MEAN = new PrivacyEvent.Gaussian(20);

  private String page;
  private String example;

  @BeforeEach
  void readPage() throws Exception {
    page = Files.readString(Path.of("..", "docs", "reference", "ledger-format.md"));
    example = page.split("```json\n", -1)[1].split("```", -1)[0];
  }

  @Test
  void example_read_matchesThePage() {
    LedgerContents contents = SampleLedger.read(example.getBytes(StandardCharsets.UTF_8));
    assertThat(contents.header())
        .isEqualTo(
            new Header(
                "digits",
                Neighboring.ADD_OR_REMOVE_ONE,
                "example",
                60_000,
                Header.SECURE,
                Map.of("data", "MNIST")));
    assertThat(contents.finished()).isTrue();
    assertThat(contents.steps()).isEqualTo(150);
    assertThat(contents.event())
        .isEqualTo(new PrivacyEvent.Composition(List.of(MEAN.times(1), STEP.times(190))));
    assertThat(page).contains("`" + contents.head().toJson() + "`");
  }

  /** The format is frozen: the same calls give the same bytes. */
  @Test
  void example_writtenAgain_isTheSameText(@TempDir Path folder) {
    LedgerContents contents = SampleLedger.read(example.getBytes(StandardCharsets.UTF_8));
    Path file = folder.resolve("ledger.jsonl");
    try (Ledger ledger = Ledger.create(file, contents.header())) {
      contents.entries().forEach(entry -> SampleLedger.write(ledger, entry));
    }
    assertThat(file).hasContent(example);
  }

  /** Computes the chain as described on the page, without the code of the ledger. */
  @Test
  void example_chain_followsTheDescription() throws Exception {
    byte[] chain = new byte[16];
    for (String line : example.split("\n", -1)) {
      if (!line.isEmpty()) {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        sha256.update(chain);
        String[] parts = line.split(",\"chain\":", -1);
        chain = Arrays.copyOf(sha256.digest(parts[0].getBytes(StandardCharsets.UTF_8)), 16);
        assertThat(parts[1]).isEqualTo("\"" + HexFormat.of().formatHex(chain) + "\"}");
      }
    }
  }
}
