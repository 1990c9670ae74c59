package org.sordino.random;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.sampling.PoissonSample;

/**
 * Measures the time to generate the randomness of a training step, warm and on one core: the sample
 * of a small and of a large data set, and the noise of a small and of a large model. Each
 * invocation is a separate step, as in a run. The common pool has no threads, so nothing runs in
 * parallel.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0")
public class RandomnessBenchmark {

  private final RandomKey samplingKey = RandomKey.insecure(1);
  private final RandomKey noiseKey = RandomKey.insecure(2);
  private final GaussianNoise noise = GaussianNoise.of(noiseKey);
  private final long[] few = new long[13];
  private final long[] many = new long[1_000_000];
  private long step;

  /** Opens a stream and reads its first 64 bits. */
  @Benchmark
  public long stream() {
    return noiseKey.stream(step++, 0).nextLong();
  }

  /** Samples about 258 of 25,766 records. */
  @Benchmark
  public int[] sampleSmall() {
    return PoissonSample.of(samplingKey, step++, 0.01).offsets(0, 25_766);
  }

  /** Samples about 10,000 of a million records. */
  @Benchmark
  public int[] sampleLarge() {
    return PoissonSample.of(samplingKey, step++, 0.01).offsets(0, 1_000_000);
  }

  /** Samples about half of 25,766 records: one random decision for each. */
  @Benchmark
  public int[] sampleHalf() {
    return PoissonSample.of(samplingKey, step++, 0.5).offsets(0, 25_766);
  }

  /** Adds noise to a linear model with 13 parameters. */
  @Benchmark
  public long[] noiseSmall() {
    noise.add(step++, few, 0, few.length, 1e6);
    return few;
  }

  /** Adds noise to a network with a million parameters. */
  @Benchmark
  public long[] noiseLarge() {
    noise.add(step++, many, 0, many.length, 1e6);
    return many;
  }

  /** Samples and adds noise as in a step of a linear model, with two keys on one thread. */
  @Benchmark
  public int smallStep() {
    int size = PoissonSample.of(samplingKey, step, 0.01).offsets(0, 25_766).length;
    noise.add(step++, few, 0, few.length, 1e6);
    return size;
  }
}
