package org.sordino.training;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A separate process that starts or resumes a run and prints the number of released steps. */
final class KillProcess {

  static final int STEPS = 4_000;
  private static final int BLOCK = 250;
  static final long SEED = 9;

  private KillProcess() {}

  /** Starts {@code main} in a separate JVM. */
  static Process start(Path folder, boolean seeded) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1", // starts fast; must not change the results
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
    print("ready");
    trainer
        .listener(TrainingListener.afterStep((steps, theta) -> print(Long.toString(steps))))
        .resume();
    print("done");
  }

  /** Writes a line without a buffer, so that no line is lost when the process is killed. */
  @SuppressWarnings("resource") // standard output must stay open
  private static void print(String line) {
    try {
      new FileOutputStream(FileDescriptor.out)
          .write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
