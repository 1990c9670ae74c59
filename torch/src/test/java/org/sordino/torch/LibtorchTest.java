package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

class LibtorchTest {

  @TempDir Path directory;

  /** What a fresh process does; started by the tests below. */
  static final class FirstStart {
    private FirstStart() {}

    public static void main(String[] args) {
      Libtorch.load();
      Scopes.run(() -> System.out.println("sum " + torch.ones(2, 3).sum().item_double()));
    }
  }

  private Process start(Path cache, int number) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dorg.bytedeco.javacpp.cachedir=" + cache,
            "-cp",
            System.getProperty("java.class.path"),
            FirstStart.class.getName())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("out" + number).toFile())
        .start();
  }

  private List<String> outputs(int processes) throws Exception {
    Path cache = directory.resolve("cache");
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      started.add(start(cache, i));
    }
    List<String> outputs = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      boolean ended = started.get(i).waitFor(240, TimeUnit.SECONDS);
      started.get(i).destroyForcibly();
      assertThat(ended).isTrue();
      outputs.add(Files.readString(directory.resolve("out" + i)));
      assertThat(started.get(i).exitValue()).as(outputs.get(i)).isZero();
    }
    return outputs;
  }

  @Test
  @Tag("slow") // unpacks 450 MB
  void load_emptyCacheTwoProcesses_bothWorkAndOneSaysWhatItDoes() throws Exception {
    List<String> outputs = outputs(2);
    assertThat(outputs).allMatch(output -> output.contains("sum 6.0"));
    assertThat(outputs.stream().filter(output -> output.contains("Unpacking"))).hasSize(1);
  }

  @Test
  @Tag("slow") // unpacks 450 MB
  void load_emptyCacheThenAgain_speaksOnce() throws Exception {
    assertThat(outputs(1).get(0)).contains("Unpacking").contains("sum 6.0");
    assertThat(outputs(1).get(0)).doesNotContain("Unpacking").contains("sum 6.0");
  }

  @Test
  @Tag("slow") // thousands of steps
  void sum_manySteps_keepsMemoryFlat() throws IOException {
    if (!Files.isReadable(Path.of("/proc/self/status"))) {
      return;
    }
    Architecture net = Nets.architecture("residual");
    TorchData data = Nets.data(net, 200, 1);
    double[] theta = Nets.theta(net, 2);
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), new TorchEngine.Options(2, 16))) {
      Clipping clipping =
          Mechanism.of(
                  net.layout(),
                  List.of(VectorGroup.flat("all", net.layout().names(), 1)),
                  NoiseAllocation.EQUAL,
                  0)
              .clipping(200, 0, 0);
      steps(engine, theta, clipping, 0, 1000);
      long before = residentKilobytes();
      steps(engine, theta, clipping, 1000, 6000);
      // A leak of one small tensor per step would be 5,000 times 1 kB at least, mostly far more.
      assertThat(residentKilobytes() - before).isLessThan(40_000);
    }
  }

  private static void steps(
      TorchEngine engine, double[] theta, Clipping clipping, int from, int to) {
    for (int step = from; step < to; step++) {
      PoissonSample sample = PoissonSample.of(RandomKey.insecure(2), step, 0.1);
      engine.sum(sample, theta, clipping, new long[theta.length]);
    }
  }

  private static long residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
