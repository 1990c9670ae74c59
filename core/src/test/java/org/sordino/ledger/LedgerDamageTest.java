package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LedgerDamageTest {

  private static final byte[] SAMPLE = SampleLedger.bytes();
  private static final String HEADER = EntryJson.write(SampleLedger.HEADER);
  private static final int LINES = SampleLedger.ENTRIES.size() + 1;

  @Test
  @Tag("slow")
  void read_anyBitFlipped_isDetected() {
    for (int i = 0; i < 8 * SAMPLE.length; i++) {
      assertDamaged(flipped(i), lineOf(i / 8), lineOf(i / 8) + 1);
    }
  }

  @Test
  void readAndResume_anyByteFlipped_isDetected() {
    for (int i = 0; i < SAMPLE.length; i++) {
      byte[] bytes = flipped(8 * i + i % 8);
      assertDamaged(bytes, lineOf(i), lineOf(i) + 1);
      assertThatThrownBy(() -> SampleLedger.resume(bytes))
          .isInstanceOf(LedgerDamagedException.class);
    }
  }

  @Test
  void read_anyByteRemovedOrDoubled_isDetected() {
    for (int i = 0; i < SAMPLE.length; i++) {
      byte[] rest = Arrays.copyOfRange(SAMPLE, i + 1, SAMPLE.length);
      assertDamaged(concat(Arrays.copyOf(SAMPLE, i), rest), lineOf(i), lineOf(i) + 1);
      assertDamaged(
          concat(Arrays.copyOf(SAMPLE, i + 1), new byte[] {SAMPLE[i]}, rest), 1, LINES + 1);
    }
  }

  @Test
  void read_cutAnywhere_isDetectedUnlessBetweenLines() {
    Head head = SampleLedger.read(SAMPLE).head();
    for (int length = 0; length < SAMPLE.length; length++) {
      byte[] bytes = Arrays.copyOf(SAMPLE, length);
      assertThatThrownBy(() -> SampleLedger.read(bytes, head))
          .isInstanceOf(LedgerDamagedException.class);
      if (length == 0 || bytes[length - 1] != '\n') {
        assertThatThrownBy(() -> SampleLedger.read(bytes))
            .isInstanceOf(LedgerDamagedException.class);
      } else {
        assertThat(SampleLedger.read(bytes).head().lines()).isEqualTo(lineOf(length) - 1);
      }
    }
  }

  @Test
  void resume_cutAnywhere_keepsEveryLineThatHasItsChecksum() {
    int header = Line.of(Chain.start(), HEADER).bytes().length;
    for (int length = header - 1; length < SAMPLE.length; length++) {
      LedgerScan scan = SampleLedger.resume(Arrays.copyOf(SAMPLE, length));
      boolean unterminated = SAMPLE[length] == '\n';
      assertThat(scan.chain().lines()).isEqualTo(lineOf(length) - (unterminated ? 0 : 1));
      assertThat(scan.tail())
          .isEqualTo(
              unterminated
                  ? LedgerScan.Tail.UNTERMINATED
                  : SAMPLE[length - 1] == '\n' ? LedgerScan.Tail.NONE : LedgerScan.Tail.TORN);
    }
    for (int length = 0; length < header - 1; length++) {
      byte[] bytes = Arrays.copyOf(SAMPLE, length);
      assertThatThrownBy(() -> SampleLedger.resume(bytes))
          .isInstanceOf(LedgerDamagedException.class)
          .hasMessageContaining("line 1: there is no complete header");
    }
  }

  @Test
  void resume_tailOfZeros_isTorn() {
    // Some file systems extend a file before they write its content.
    LedgerScan scan = SampleLedger.resume(concat(SAMPLE, new byte[100]));
    assertThat(scan.tail()).isEqualTo(LedgerScan.Tail.TORN);
    assertThat(scan.size()).isEqualTo(SAMPLE.length);
  }

  @Test
  void read_lineRemoved_isDetectedThere() {
    for (int i = 0; i < LINES - 1; i++) {
      int line = i;
      assertDamaged(edited(lines -> without(lines, line)), i + 1, i + 1);
    }
  }

  @Test
  void read_lastLinesRemoved_areMissedWithoutAHeadAndDetectedWithIt() {
    Head head = SampleLedger.read(SAMPLE).head();
    for (int kept = 1; kept < LINES; kept++) {
      byte[] bytes = SampleLedger.bytes(kept - 1);
      assertThat(SampleLedger.read(bytes).entries()).hasSize(kept - 1);
      assertThatThrownBy(() -> SampleLedger.read(bytes, head))
          .isInstanceOf(LedgerDamagedException.class)
          .hasMessageContaining("line " + (kept + 1) + ": the file was shortened: it had 9 lines");
    }
  }

  @Test
  void read_linesSwappedDoubledInserted_isDetectedThere() {
    for (int i = 0; i < LINES; i++) {
      int line = i;
      if (i + 1 < LINES) {
        assertDamaged(edited(lines -> swapped(lines, line)), i + 1, i + 1);
      }
      assertDamaged(edited(lines -> inserted(lines, line + 1, lines.get(line))), i + 2, i + 2);
      assertDamaged(edited(lines -> inserted(lines, line, "")), i + 1, i + 1);
      assertDamaged(edited(lines -> inserted(lines, line, "{\"entry\":\"x\"}")), i + 1, i + 1);
    }
  }

  @Test
  void read_lineReplacedWithValidChecksum_isDetectedInTheNextLine() {
    String changed =
        EntryJson.write(new Entry.Query("mean of the pixels", SampleLedger.MEAN.times(1)));
    byte[] forged = SampleLedger.sealed(HEADER, changed);
    String line = new String(forged, StandardCharsets.UTF_8).split("\n", -1)[1];
    assertDamaged(edited(lines -> replaced(lines, 1, line)), 3, 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"entry\":\"spend\",\"steps\":3}|unknown kind \"spend\"",
        "{\"entry\":\"finish\",\"steps\":0,\"really\":true}|unknown field \"really\"",
        "{\"entry\":\"finish\"}|entry \"finish\": steps must be a whole number, got nothing",
        "{\"entry\":\"finish\",\"steps\":\"0\"}|steps must be a whole number, got \"0\"",
        "{\"entry\":\"finish\",\"steps\":0.5}|a whole number",
        "{\"entry\":\"finish\",\"steps\":0,\"steps\":0}|steps",
        "{\"entry\":\"finish\",\"steps\":1}|steps must be in [0, 0]",
        "{\"entry\":\"restart\",\"from\":1,\"reason\":\"\"}|from must be at most",
        "{\"entry\":\"realised\",\"step\":0,\"groups\":[]}|step must be reserved",
        "{\"entry\":\"reserve\",\"from\":0,\"count\":1,\"event\":{\"kind\":\"magic\"}}|\"magic\"",
        "{\"entry\":\"reserve\",\"from\":1,\"count\":1,\"event\":{\"kind\":\"gaussian\","
            + "\"noiseMultiplier\":1}}|from must be the first step that is not reserved, 0, got 1",
        "{\"entry\":\"query\",\"name\":\"a\",\"event\":{\"kind\":\"gaussian\","
            + "\"noiseMultiplier\":1e400}}|too large",
        "{\"entry\":\"query\",\"name\":\"a\",\"event\":3}|entry \"query\": event must be an object {...}, got 3",
        "{\"no\":\"entry\"}|an entry must have \"entry\"",
        "[1}|JSON",
      })
  void read_validChecksumOfAnInvalidEntry_isRefusedByLine(String line, String message) {
    assertDamaged(SampleLedger.sealed(HEADER, line), 2, 2, message);
  }

  @Test
  void read_entryAfterTheEnd_isRefused() {
    String end = EntryJson.write(new Entry.Finish(0));
    String query = EntryJson.write(new Entry.Query("late", SampleLedger.STEP));
    assertDamaged(SampleLedger.sealed(HEADER, end, query), 3, 3, "no entry may follow the end");
  }

  @Test
  void read_otherFiles_areReportedAsNotALedger() {
    for (String text :
        List.of("step,loss\n0,1\n", "{}\n", "\n", "\0\0\0\n", "{\"ledger\":\"x\"}\n")) {
      assertDamaged(utf8(text), 1, 1, "not a Sordino ledger");
    }
    assertDamaged(new byte[0], 1, 1, "no complete header");
    assertDamaged(concat(SAMPLE, new byte[] {0, '\n'}), 10, 10, "checksum");
    assertDamaged(concat(SAMPLE, utf8("\n")), 10, 10, "checksum");
  }

  @Test
  void read_otherVersions_areReported() {
    String newer = HEADER.replace("\"version\":1", "\"version\":2");
    assertDamaged(
        SampleLedger.sealed(newer),
        1,
        1,
        "of version 2, but this version of Sordino reads version 1");
    assertDamaged(utf8("{\"ledger\":\"sordino\",\"version\":\n"), 1, 1, "version");
  }

  @Test
  void read_headerWithUnknownOrWrongFields_isRefused() {
    assertDamaged(
        SampleLedger.sealed(HEADER.replace("\"unit\"", "\"units\"")),
        1,
        1,
        "unknown field \"units\"");
    assertDamaged(SampleLedger.sealed(HEADER.replace("add-remove", "none")), 1, 1, "got \"none\"");
    assertDamaged(SampleLedger.sealed(HEADER.replace("\"mnist\"", "3")), 1, 1, "notes");
  }

  @Test
  void read_invalidUtf8WithAValidChecksum_isRefused() {
    byte[] content = utf8("{\"entry\":\"restart\",\"from\":0,\"reason\":\"?\"");
    content[content.length - 2] = (byte) 0xFF;
    Chain header = Line.of(Chain.start(), HEADER).chain();
    byte[] line = concat(content, header.next(content, content.length).field(), utf8("\n"));
    assertDamaged(concat(SampleLedger.sealed(HEADER), line), 2, 2, "not valid UTF-8");
  }

  @Test
  void read_hugeLine_isRefusedBeforeItFillsTheMemory() {
    byte[] huge = new byte[8 << 20];
    Arrays.fill(huge, (byte) 'x');
    assertDamaged(concat(SAMPLE, huge), 10, 10, "at most 1048576 bytes");
    assertDamaged(huge, 1, 1, "at most 1048576 bytes");
  }

  @Test
  void resume_damagedFile_isLeftUnchanged(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ledger.jsonl");
    byte[] bytes = concat(edited(lines -> without(lines, 3)), utf8("{\"entry"));
    Files.write(file, bytes);
    LedgerDamagedException e =
        catchThrowableOfType(
            LedgerDamagedException.class, () -> Ledger.resume(file, Head.NONE).close());
    assertThat(e).hasMessageContaining("ledger " + file + ", line 4: the checksum is wrong");
    assertThat(e).hasMessageEndingWith("; restore the file from a copy, and never edit it");
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
  }

  @Test
  void resume_tornOrUnterminatedLine_isRepaired(@TempDir Path folder) throws Exception {
    byte[] whole = SampleLedger.bytes(4);
    byte[] before = SampleLedger.bytes(3);
    for (int length = before.length; length <= whole.length; length++) {
      Path file = folder.resolve(length + ".jsonl");
      Files.write(file, Arrays.copyOf(whole, length));
      try (Ledger ledger = Ledger.resume(file, SampleLedger.read(before).head())) {
        assertThat(ledger.head()).isEqualTo(ledger.contents().head());
      }
      assertThat(Files.readAllBytes(file)).isEqualTo(length < whole.length - 1 ? before : whole);
    }
  }

  private static void assertDamaged(byte[] bytes, long first, long last) {
    assertDamaged(bytes, first, last, "; ");
  }

  private static void assertDamaged(byte[] bytes, long first, long last, String message) {
    LedgerDamagedException e =
        catchThrowableOfType(LedgerDamagedException.class, () -> SampleLedger.read(bytes));
    assertThat(e).isNotNull();
    assertThat(e.line()).isBetween(first, last);
    assertThat(e)
        .hasMessageStartingWith("ledger " + SampleLedger.PATH + ", line " + e.line() + ": ")
        .hasMessageContaining(message);
  }

  private static byte[] flipped(int bit) {
    byte[] bytes = SAMPLE.clone();
    bytes[bit / 8] ^= (byte) (1 << bit % 8);
    return bytes;
  }

  /** Returns the line, counted from 1, that contains a byte of the sample. */
  private static int lineOf(int position) {
    int line = 1;
    for (int i = 0; i < position; i++) {
      line += SAMPLE[i] == '\n' ? 1 : 0;
    }
    return line;
  }

  private static byte[] edited(UnaryOperator<List<String>> edit) {
    String text = new String(SAMPLE, StandardCharsets.UTF_8);
    List<String> lines = List.of(text.substring(0, text.length() - 1).split("\n", -1));
    return utf8(String.join("\n", edit.apply(lines)) + "\n");
  }

  private static List<String> without(List<String> lines, int index) {
    List<String> result = new ArrayList<>(lines);
    result.remove(index);
    return result;
  }

  private static List<String> inserted(List<String> lines, int index, String line) {
    List<String> result = new ArrayList<>(lines);
    result.add(index, line);
    return result;
  }

  private static List<String> replaced(List<String> lines, int index, String line) {
    return inserted(without(lines, index), index, line);
  }

  private static List<String> swapped(List<String> lines, int index) {
    return inserted(without(lines, index), index + 1, lines.get(index));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
