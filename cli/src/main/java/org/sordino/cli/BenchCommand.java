package org.sordino.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.run.InvalidInputException;
import org.sordino.torch.StepBenchmark;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sordino bench}: measures the cost of privacy in time and memory. */
@Command(
    name = "bench",
    description = "Measure the cost of privacy in time and memory",
    mixinStandardHelpOptions = true,
    subcommands = BenchCommand.Step.class,
    usageHelpWidth = 100)
final class BenchCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a subcommand is missing, such as 'bench step'");
  }

  /** {@code sordino bench step}: compares private and non-private training steps. */
  @Command(
      name = "step",
      description = {
        "Compare private and non-private training steps on synthetic data",
        "",
        "The kinds of steps alternate in one process. 'plain' is the fastest non-private step on"
            + " the same engine and threads, 'plainAutograd' is the default of PyTorch. The private"
            + " step includes sampling and noise, and sampling is also measured separately. Peak"
            + " memory is measured in one process per kind of step."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false,
      usageHelpWidth = 100,
      footer = {
        "",
        "Examples:",
        "  sordino bench step --model cifar-cnn --batch 512 --threads 2",
        "  sordino bench step --model mlp --clipping per-layer --json"
      })
  static final class Step implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Option(
        names = "--model",
        paramLabel = "NAME",
        description = "Model: mnist-cnn, cifar-cnn, mlp or logreg (default: mnist-cnn)")
    private String model = "mnist-cnn";

    @Option(
        names = "--batch",
        paramLabel = "L",
        description = "Expected number of records per step (default: 512)")
    private String batch = "512";

    @Option(
        names = "--threads",
        paramLabel = "T",
        description = "Number of threads of all kinds of steps (default: number of processors)")
    private @Nullable String threads;

    @Option(
        names = "--clipping",
        paramLabel = "RULE",
        description = "Clipping rule: flat, per-layer, joint or auto (default: flat)")
    private String clipping = "flat";

    @Option(names = "--rounds", paramLabel = "N", description = "Number of rounds (default: 11)")
    private String rounds = "11";

    @Option(
        names = "--warm-up",
        paramLabel = "SECONDS",
        description = "Seconds to run before the measurement (default: 20)")
    private String warmUp = "20";

    @Option(
        names = "--no-memory",
        description = "Skip the measurement of peak memory, which takes a while")
    private boolean noMemory;

    @Option(
        names = "--peak",
        hidden = true,
        description = "Run one kind of step and print its peak memory")
    private StepBenchmark.@Nullable Mode peak;

    @Option(names = "--json", description = "Print the result as JSON with all digits")
    private boolean json;

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      if (peak != null) {
        try (StepBenchmark benchmark = benchmark()) {
          for (int i = 0; i < 5; i++) {
            benchmark.time(peak);
          }
        }
        out.println(peakMegabytes());
        return Main.OK;
      }
      int turns = (int) OptionValues.whole("--rounds", rounds, 1, 10_000, "try 11");
      double seconds = OptionValues.whole("--warm-up", warmUp, 0, 3600, "try 20");
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("model", model);
      answer.put("batch", (long) batch());
      answer.put("threads", (long) threads());
      answer.put("clipping", clipping);
      try (StepBenchmark benchmark = benchmark()) {
        answer.putAll(benchmark.run(seconds, turns).json());
      }
      if (!noMemory) {
        memory(answer);
      }
      if (json) {
        out.println(Json.writePretty(answer));
      } else {
        answer.forEach((name, value) -> out.printf("  %-16s %s%n", name, value));
      }
      return Main.OK;
    }

    private int batch() {
      return (int) OptionValues.whole("--batch", batch, 1, 100_000, "try 512");
    }

    private int threads() {
      return threads == null
          ? Runtime.getRuntime().availableProcessors()
          : (int) OptionValues.whole("--threads", threads, 1, 1024, "try 2");
    }

    private StepBenchmark benchmark() {
      try {
        return StepBenchmark.of(model, batch(), threads(), clipping);
      } catch (IllegalArgumentException e) {
        throw new InvalidInputException(String.valueOf(e.getMessage()));
      }
    }

    /**
     * Measures peak memory in one process per kind of step, because memory that one kind has used
     * would also count for the next.
     */
    private void memory(Map<String, @Nullable Object> answer) {
      Map<String, @Nullable Object> peaks = new LinkedHashMap<>();
      for (StepBenchmark.Mode mode : StepBenchmark.Mode.values()) {
        double megabytes = peakOf(mode);
        peaks.put(key(mode), Double.isNaN(megabytes) ? null : megabytes);
      }
      answer.put("peakMegabytes", peaks);
    }

    private static String key(StepBenchmark.Mode mode) {
      return switch (mode) {
        case PLAIN -> "plain";
        case PRIVATE -> "private";
        case PLAIN_AUTOGRAD -> "plainAutograd";
      };
    }

    /** Returns the peak resident set size of this process, or NaN on systems other than Linux. */
    private static double peakMegabytes() {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        return lines
            .filter(line -> line.startsWith("VmHWM:"))
            .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
            .findFirst()
            .orElse(Double.NaN);
      } catch (IOException e) {
        return Double.NaN;
      }
    }

    private double peakOf(StepBenchmark.Mode mode) {
      List<String> command = new ArrayList<>();
      command.add(System.getProperty("java.home") + "/bin/java");
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
      command.addAll(List.of("bench", "step", "--model", model, "--batch", batch));
      command.addAll(List.of("--threads", Integer.toString(threads()), "--clipping", clipping));
      command.addAll(List.of("--peak", mode.name()));
      try {
        Process process =
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] bytes = process.getInputStream().readAllBytes();
        process.waitFor();
        return Double.parseDouble(new String(bytes, StandardCharsets.UTF_8).strip());
      } catch (IOException | NumberFormatException e) {
        throw new IllegalStateException("the memory of " + mode + " cannot be measured", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }
}
