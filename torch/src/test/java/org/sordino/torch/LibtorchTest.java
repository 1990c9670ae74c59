package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bytedeco.pytorch.Tensor;
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

  /** The main program of a fresh process, started by the tests below. */
  static final class FirstStart {
    private FirstStart() {}

    public static void main(String[] args) {
      Libtorch.load();
      Scopes.run(() -> System.out.println("sum " + torch.ones(2, 3).sum().item_double()));
    }
  }

  private Process start(Path cache, int number) throws IOException {
    return command(List.of("-Dorg.bytedeco.javacpp.cachedir=" + cache), FirstStart.class)
        .redirectOutput(directory.resolve("out" + number).toFile())
        .start();
  }

  private static ProcessBuilder command(List<String> options, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return new ProcessBuilder(command).redirectErrorStream(true);
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
  @Tag("slow") // unpacks 550 MB
  void load_emptyCacheTwoProcesses_bothWorkAndOneReportsUnpacking() throws Exception {
    List<String> outputs = outputs(2);
    assertThat(outputs).allMatch(output -> output.contains("sum 6.0"));
    assertThat(outputs.stream().filter(output -> output.contains("Unpacking"))).hasSize(1);
  }

  @Test
  @Tag("slow") // unpacks 550 MB
  void load_emptyCacheThenAgain_reportsUnpackingOnce() throws Exception {
    assertThat(outputs(1).get(0)).contains("Unpacking").contains("sum 6.0");
    assertThat(outputs(1).get(0)).doesNotContain("Unpacking").contains("sum 6.0");
  }

  /**
   * Runs many steps and prints the smallest memory growth of any stretch of steps. The heap is
   * fully committed at the start. With an argument, the program also leaks a tensor of 4 kB in
   * every step.
   */
  static final class ManySteps {
    private static final int STRETCH = 4000;
    private static final int STRETCHES = 4;

    private ManySteps() {}

    public static void main(String[] args) throws IOException {
      boolean leak = args.length > 0;
      Architecture net = Nets.architecture("residual");
      TorchData data = Nets.data(net, 200, 1);
      double[] theta = Nets.theta(net, 2);
      TorchEngine.Options options = new TorchEngine.Options(2, 16);
      try (TorchEngine engine =
          TorchEngine.of(net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), options)) {
        List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), 1));
        Clipping clipping =
            Mechanism.of(net.layout(), flat, NoiseAllocation.EQUAL, 0).clipping(200, 0, 0);
        List<Tensor> lost = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (int stretch = 0; stretch < STRETCHES; stretch++) {
          long before = residentKilobytes();
          for (int step = stretch * STRETCH; step < (stretch + 1) * STRETCH; step++) {
            PoissonSample sample = PoissonSample.of(RandomKey.insecure(2), step, 0.1);
            engine.sum(sample, theta, clipping, new long[theta.length]);
            if (leak) {
              lost.add(torch.ones(1024)); // 4 kB; other changes are a few MB per stretch
            }
          }
          least = Math.min(least, residentKilobytes() - before);
        }
        System.out.println("grown " + least + " kB, leaked on purpose: " + lost.size());
      }
    }
  }

  /**
   * Returns the smallest memory growth of any stretch of steps, in kB. Compiled code and the
   * allocator's pools also grow, but not forever; a leak adds to every stretch.
   */
  private long grown(String... args) throws Exception {
    ProcessBuilder builder =
        command(List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch"), ManySteps.class);
    builder.command().addAll(List.of(args));
    Path out = directory.resolve("steps");
    Process process = builder.redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(900, TimeUnit.SECONDS)).isTrue();
    String output = Files.readString(out);
    assertThat(process.exitValue()).as(output).isZero();
    return Long.parseLong(output.replaceAll("(?s).*grown (-?\\d+) kB.*", "$1"));
  }

  @Test
  @Tag("slow") // 16,000 steps
  void sum_manySteps_keepsMemoryFlat() throws Exception {
    assumeThat(Path.of("/proc/self/status")).isReadable();
    assertThat(grown()).isLessThan(ManySteps.STRETCH / 2);
  }

  @Test
  @Tag("slow") // 16,000 steps
  void sum_manyStepsWithALeak_isDetected() throws Exception {
    assumeThat(Path.of("/proc/self/status")).isReadable();
    assertThat(grown("leak")).isGreaterThan(ManySteps.STRETCH / 2);
  }

  private static long residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
