package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.run.TableLocation;
import org.sordino.training.Safetensors;

class ExecutorJarsTest {

  @TempDir Path folder;

  @Test
  void find_testClassPath_hasOurLibrariesAndNothingOfSpark() {
    assertThat(ExecutorJars.find())
        .anyMatch(jar -> jar.contains("/fastcsv-"))
        .anyMatch(jar -> jar.contains("/jackson-core-3"))
        .anyMatch(jar -> jar.contains("/commons-numbers-gamma-"))
        .allMatch(jar -> jar.startsWith("file:") && jar.endsWith(".jar"))
        .noneMatch(jar -> jar.contains("spark-") || jar.contains("/scala-"))
        .noneMatch(jar -> jar.contains("/com/fasterxml/"));
  }

  @Test
  @Tag("slow")
  void train_everyModuleInASeparateJar_executorsGetAllOfThem() throws Exception {
    Path run = new SeparateJars(folder).train("cluster", "");
    Path alone = folder.resolve("alone");
    String census = folder.resolve("census.csv").toString();
    JarsMain.training(JarsMain.census(census, TableLocation.JAVA, null), "").run(alone);
    assertThat(weights(run)).usingRecursiveComparison().isEqualTo(weights(alone));
  }

  private static List<double[]> weights(Path run) throws IOException {
    return Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")))
        .tensors()
        .values()
        .stream()
        .map(Safetensors.Tensor::values)
        .toList();
  }
}
