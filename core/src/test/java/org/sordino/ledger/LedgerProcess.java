package org.sordino.ledger;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Another process that writes a ledger, for the tests of locks and kills. */
final class LedgerProcess {

  private LedgerProcess() {}

  /** Starts {@code main} in a separate JVM. */
  static Process start(String task, Path ledger) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            LedgerProcess.class.getName(),
            task,
            ledger.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]);
    try (Ledger ledger =
        Files.exists(file)
            ? Ledger.resume(file, Head.NONE)
            : Ledger.create(file, SampleLedger.HEADER)) {
      if (args[0].equals("hold")) {
        say("held");
        System.in.read();
      } else {
        reserveForever(ledger);
      }
    } catch (LedgerLockedException e) {
      say("locked: " + e.getMessage());
    }
  }

  private static void reserveForever(Ledger ledger) throws IOException {
    for (long from = ledger.contents().reserved(); ; from += 7) {
      ledger.reserve(SampleLedger.STEP, from, 7);
      say(Long.toString(from + 7));
    }
  }

  /** Writes without a buffer, so that no output is lost when the process is killed. */
  @SuppressWarnings("resource") // the standard output must stay open
  private static void say(String line) throws IOException {
    new FileOutputStream(FileDescriptor.out).write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
