package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that README and guides show what their commands and examples print. */
class ReadmeTest {

  @Test
  void account_printsWhatThePageShows() throws IOException {
    Matcher block = block("docs/how-to/account.md", "\\$ \\./sordino (account [^\\n]*)\\n(.*?)");

    Console.Outcome outcome = Console.line(block.group(1));

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).isEqualTo(block.group(2));
  }

  /** Numbers differ: the noise is random, and the test takes fewer steps. */
  @Test
  void train_printsWhatTheReadmeShows(@TempDir Path folder) throws IOException {
    Matcher block = block("README.md", "\\$ \\./sordino (train)\\n(.*?)");
    Path run = folder.resolve("run");

    Console.Outcome outcome = Console.line(block.group(1) + " --steps 40 --out " + run);

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(Page.masked(outcome.out().replace(run.toString(), "runs/demo-1")))
        .isEqualTo(Page.masked(block.group(2)));
  }

  @ParameterizedTest
  @CsvSource({
    "../README.md, 1",
    "../docs/how-to/account.md, 1",
    "../docs/tutorials/embedding.md, 2",
    "../docs/tutorials/databases.md, 1"
  })
  void javaExamples_compileAndPrintWhatThePageShows(String page, int expected, @TempDir Path folder)
      throws Exception {
    Matcher example =
        Pattern.compile("```java\\n(.*?)```\\n\\nprints\\n\\n```text\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of(page)));
    int examples = 0;
    while (example.find()) {
      assertThat(output(folder, compiled(folder, example.group(1)))).isEqualTo(example.group(2));
      examples++;
    }
    assertThat(examples).isEqualTo(expected);
  }

  /** Compiles a class and returns its name. */
  private static String compiled(Path folder, String source) throws IOException {
    Matcher name = Pattern.compile("class (\\w+)").matcher(source);
    assertThat(name.find()).isTrue();
    Path file = Files.writeString(folder.resolve(name.group(1) + ".java"), source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classPath = System.getProperty("java.class.path");
    assertThat(
            compiler.run(
                null, null, null, "-Xlint:all,-path", "-Werror", "-cp", classPath, file.toString()))
        .isZero();
    return name.group(1);
  }

  private static Matcher block(String page, String content) throws IOException {
    Matcher matcher =
        Pattern.compile("```console\\n" + content + "```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..").resolve(page)));
    assertThat(matcher.find()).as("a console block in %s", page).isTrue();
    return matcher;
  }

  private static String output(Path folder, String className) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
      Method main = loader.loadClass(className).getMethod("main", String[].class);
      main.invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
