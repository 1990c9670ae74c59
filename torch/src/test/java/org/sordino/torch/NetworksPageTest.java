package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.PrivacyBudget;
import org.sordino.random.RandomKey;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/** Checks that the examples in the pages about networks and architectures work as printed. */
class NetworksPageTest {

  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "reference", "architectures.md"))
        + Files.readString(Path.of("..", "docs", "how-to", "networks.md"));
  }

  static Stream<String> architectures() throws IOException {
    List<String> found =
        Pattern.compile("(?s)```json\n(.*?)```")
            .matcher(page())
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(found).hasSizeGreaterThan(1);
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource("architectures")
  void architecture_ofThePage_canBeRead(String json) {
    assertThat(Architecture.fromJson(json).output()[0]).isIn(2, 10);
  }

  @Test
  void everyLayer_isOnThePage() throws IOException {
    String page = page();
    for (String type : Layers.KNOWN.split(", *", -1)) {
      assertThat(page).contains("`" + type + "`");
    }
  }

  /** Runs the Java examples of the page. This file must contain each of them. */
  @Test
  void java_ofThePage_trains() throws IOException {
    String json = architectures().findFirst().orElseThrow();
    RandomKey publicSeed = RandomKey.insecure(1);
    TorchData images = Nets.data(Architecture.fromJson(json), 200, 10);
    Architecture architecture = Architecture.fromJson(json);
    TrainingPlan plan =
        TrainingPlan.forLayout(architecture.layout())
            .population(images.size())
            .expectedBatch(64)
            .steps(5)
            .clip(1)
            .budget(new PrivacyBudget(3, 1e-5))
            .build();
    try (TorchEngine engine =
        TorchEngine.of(
            architecture, Loss.CROSS_ENTROPY, images, publicSeed, TorchEngine.Options.defaults())) {
      TrainingResult result =
          Trainer.of(plan, engine).start(architecture.initialWeights(publicSeed)).run();
      TorchModel model = new TorchModel(architecture, result.weights());
      assertThat(model.probabilities(images, 1)).hasSize(2000);
    }
    try (FeatureExtractor frozen = FeatureExtractor.scattering()) {
      TorchData features = frozen.features(images, new int[] {1, 28, 28}, 2);
      assertThat(features.size()).isEqualTo(200);
    }
    String source =
        Files.readString(
            Path.of("src", "test", "java", "org", "sordino", "torch", "NetworksPageTest.java"));
    Pattern.compile("(?s)```java\n(.*?)```")
        .matcher(page())
        .results()
        .forEach(block -> assertThat(squeezed(source)).contains(squeezed(block.group(1))));
  }

  /** Returns the code without comments, white space and the last closing brace. */
  private static String squeezed(String code) {
    String plain =
        String.join(
            "",
            Arrays.stream(code.split("\n", -1)).map(line -> line.replaceAll("//.*", "")).toList());
    return plain.replaceAll("\\s+", "").replaceAll("}$", "");
  }
}
