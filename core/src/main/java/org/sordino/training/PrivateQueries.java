package org.sordino.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Storage;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Asks what a plan asks before its first step. Each query is durable in the ledger before it is
 * answered. The answers are released numbers, so they may be kept, and they must be: the parameters
 * of a run were trained on inputs that depend on them.
 */
record PrivateQueries(TrainingPlan plan, Preparation preparation, Storage storage) {

  private static final String RUN = "run";
  private static final String ANSWERS = "checkpoint/answers.safetensors";

  /** Answers the queries of a run without a directory. */
  Map<String, double[]> ask(Ledger ledger, RandomKey key) {
    return answers(ledger, key, false);
  }

  /** Answers the queries of a run under a fresh key; answers that the run has already are kept. */
  Map<String, double[]> ask(Ledger ledger, RandomKey key, Path folder) {
    return kept(ledger, key, folder, false);
  }

  /** Answers again for a run that goes on with its key: the same answer again costs nothing. */
  Map<String, double[]> replay(Ledger ledger, RandomKey key, Path folder) {
    return kept(ledger, key, folder, true);
  }

  /** Reads the answers of a finished run. */
  Map<String, double[]> recall(Path folder) {
    Path file = folder.resolve(ANSWERS);
    if (plan.queries().isEmpty()) {
      return Map.of();
    }
    if (!Files.exists(file)) {
      throw new CheckpointDamagedException(file + " is missing; restore it from a copy of the run");
    }
    return values(read(file));
  }

  private Map<String, double[]> kept(Ledger ledger, RandomKey key, Path folder, boolean replay) {
    Path file = folder.resolve(ANSWERS);
    if (plan.queries().isEmpty()) {
      return Map.of();
    }
    String run = ledger.contents().header().run();
    boolean paid = plan.queries().stream().allMatch(query -> asked(ledger, query));
    if (paid && Files.exists(file)) {
      Safetensors kept = read(file);
      if (run.equals(kept.metadata().get(RUN))) {
        return values(kept);
      }
    }
    Map<String, double[]> answers = answers(ledger, key, replay);
    RunFiles.replace(storage, file, bytes(answers, run));
    return answers;
  }

  private Map<String, double[]> answers(Ledger ledger, RandomKey key, boolean replay) {
    Map<String, double[]> answers = new LinkedHashMap<>();
    for (PrivateQuery query : plan.queries()) {
      if (!(replay && asked(ledger, query))) {
        ledger.query(query.name(), query.event());
      }
      answers.put(query.name(), answer(query, key.derive("question " + query.name())));
    }
    return answers;
  }

  private double[] answer(PrivateQuery query, RandomKey key) {
    long population = plan.privacy().population();
    try (GradientEngine engine = preparation.queryEngine(query)) {
      NoisySum sum = new NoisySum(query.mechanism(), population, 0, engine);
      double[] answer = new double[engine.layout().dimension()];
      PoissonSample everyone = PoissonSample.of(key.derive("sampling"), 0, 1);
      sum.clipAndAdd(engine, everyone, new double[0]);
      sum.addNoise(GaussianNoise.of(key.derive("noise")), 0);
      sum.divideBy(population, answer);
      return answer;
    }
  }

  private static boolean asked(Ledger ledger, PrivateQuery asked) {
    return ledger.contents().entries().stream()
        .anyMatch(
            entry ->
                entry instanceof Entry.Query query
                    && query.name().equals(asked.name())
                    && query.event().equals(asked.event()));
  }

  /** With the name of the run: what another ledger paid for is not this run's to use. */
  private static byte[] bytes(Map<String, double[]> answers, String run) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    answers.forEach(
        (name, answer) ->
            tensors.put(
                name,
                new Safetensors.Tensor(Safetensors.Type.F64, List.of(answer.length), answer)));
    return new Safetensors(tensors, Map.of(RUN, run)).toBytes();
  }

  private static Safetensors read(Path file) {
    try {
      return Safetensors.ofBytes(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw new CheckpointDamagedException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy of the run");
    }
  }

  private static Map<String, double[]> values(Safetensors kept) {
    Map<String, double[]> answers = new LinkedHashMap<>();
    kept.tensors().forEach((name, tensor) -> answers.put(name, tensor.values()));
    return answers;
  }
}
