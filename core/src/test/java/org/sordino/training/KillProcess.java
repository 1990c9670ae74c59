package org.sordino.training;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Another process that begins or resumes a run and says how many steps it has released. */
final class KillProcess {

  static final int STEPS = 4_000;
  private static final int BLOCK = 250;
  static final long SEED = 9;

  private KillProcess() {}

  /** Starts {@code main} in a JVM of its own. */
  static Process start(Path folder, boolean seeded) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1", // starts fast, and must not change a bit
            "-cp",
            System.getProperty("java.class.path"),
            KillProcess.class.getName(),
            folder.toString(),
            Boolean.toString(seeded))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  static Trainer trainer(Path folder, boolean seeded) {
    Trainer trainer = SmallRun.trainer(SmallRun.plan(STEPS), folder).blockSize(BLOCK);
    return seeded ? trainer.insecureSeed(SEED) : trainer;
  }

  public static void main(String[] args) {
    Trainer trainer = trainer(Path.of(args[0]), Boolean.parseBoolean(args[1]));
    say("ready");
    trainer
        .listener(TrainingListener.afterStep((steps, theta) -> say(Long.toString(steps))))
        .resume();
    say("done");
  }

  /** Without a buffer, so that nothing said is lost when the process is killed. */
  @SuppressWarnings("resource") // the standard output is not ours to close
  private static void say(String line) {
    try {
      new FileOutputStream(FileDescriptor.out)
          .write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
