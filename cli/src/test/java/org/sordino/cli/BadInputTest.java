package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.cli.Console.Outcome;

/** Checks that invalid input results in a one-line message and exit code 2. */
class BadInputTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --sampling-rate 0 --noise-multiplier 4 --steps 10 --delta 1e-5 | --sampling-rate must be above 0 and at most 1, got 0
          --sampling-rate 1.5 --noise-multiplier 4 --steps 10 --delta 1e-5 | --sampling-rate must be above 0 and at most 1, got 1.5
          --sampling-rate NaN --noise-multiplier 4 --steps 10 --delta 1e-5 | --sampling-rate must be above 0 and at most 1, got NaN
          --sampling-rate 3/2 --noise-multiplier 4 --steps 10 --delta 1e-5 | got 3/2
          --sampling-rate 1/0 --noise-multiplier 4 --steps 10 --delta 1e-5 | got 1/0
          --sampling-rate 1/2/3 --noise-multiplier 4 --steps 10 --delta 1e-5 | got 1/2/3
          --sampling-rate 1e-999999999 --noise-multiplier 4 --steps 10 --delta 1e-5 | got 1e-999999999
          --sampling-rate 0.1 --noise-multiplier -1 --steps 10 --delta 1e-5 | --noise-multiplier must be finite and at least 0, got -1
          --sampling-rate 0.1 --noise-multiplier NaN --steps 10 --delta 1e-5 | got NaN
          --sampling-rate 0.1 --noise-multiplier 1e400 --steps 10 --delta 1e-5 | got 1e400
          --sampling-rate 0.1 --noise-multiplier 0x1p3 --steps 10 --delta 1e-5 | got 0x1p3
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --delta 0 | --delta must be above 0 and below 1, got 0
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --delta 2 | --delta must be above 0 and below 1, got 2
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --epsilon -1 | --epsilon must be finite and at least 0, got -1
          --sampling-rate 0.1 --noise-multiplier 4 --steps -1 --delta 1e-5 | --steps must be a whole number from 0 to 1,000,000,000,000, got -1
          --sampling-rate 0.1 --noise-multiplier 4 --steps 1e18 --delta 1e-5 | got 1e18
          --sampling-rate 0.1 --noise-multiplier 4 --steps 1e999999999 --delta 1e-5 | got 1e999999999
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10.5 --delta 1e-5 | got 10.5
          --sampling-rate 0.1 --noise-multiplier 4 --steps ten --delta 1e-5 | got ten
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 | --delta (or --epsilon) is missing
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --delta 1e-5 --epsilon 1 | --epsilon and --delta cannot be combined
          --sampling-rate 0.1 --batch 10 --noise-multiplier 4 --steps 10 --delta 1e-5 | --sampling-rate and --batch cannot be combined
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --epochs 2 --delta 1e-5 | --steps and --epochs cannot be combined
          --sampling-rate 0.1 --population 50 --noise-multiplier 4 --steps 10 --delta 1e-5 | --population needs --batch
          --batch 10 --noise-multiplier 4 --steps 10 --delta 1e-5 | --batch needs --population
          --population 50 --batch 51 --noise-multiplier 4 --steps 10 --delta 1e-5 | --batch must be above 0 and at most the population 50, got 51
          --population 0 --batch 1 --noise-multiplier 4 --steps 10 --delta 1e-5 | --population must be a whole number from 1
          --sampling-rate 0.1 --noise-multiplier 4 --epochs 0 --delta 1e-5 | --epochs must be above 0, got 0
          --sampling-rate 1e-9 --noise-multiplier 4 --epochs 1e9 --delta 1e-5 | --epochs must be at most 1,000,000,000,000 steps
          --noise-multiplier 4 --steps 10 --delta 1e-5 | the sampling rate is missing
          --sampling-rate 0.1 --steps 10 --delta 1e-5 | --noise-multiplier is missing
          --sampling-rate 0.1 --noise-multiplier 4 --delta 1e-5 | the number of steps is missing
          --sampling-rat 0.1 --noise-multiplier 4 --steps 10 --delta 1e-5 | did you mean --sampling-rate?
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --delta | --delta
          --sampling-rate 0.1 --noise-multiplier 4 --steps 10 --delta 1e-5 --curve /no/such/folder/x.html | --curve must be in a folder that exists
          """)
  void account(String options, String message) {
    assertRefused(Console.line("account " + options), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --epsilon 0 --delta 1e-5 --sampling-rate 0.01 --steps 10 | --epsilon must be finite and above 0, got 0
          --epsilon NaN --delta 1e-5 --sampling-rate 0.01 --steps 10 | got NaN
          --epsilon 1 --delta 2 --sampling-rate 0.01 --steps 10 | --delta must be above 0 and below 1, got 2
          --epsilon 1 --sampling-rate 0.01 --steps 10 | --delta
          --epsilon 1 --delta 1e-5 | exactly two of
          --epsilon 1 --delta 1e-5 --steps 10 | exactly two of
          --epsilon 1 --delta 1e-5 --steps 10 --sampling-rate 0.1 --noise-multiplier 3 | exactly two of
          --epsilon 1 --delta 1e-5 --noise-multiplier 3 --epochs 2 | --epochs needs the sampling rate
          --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --steps 10 --by gdp | an approximation that can under-report epsilon
          --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --steps 10 --by magic | --by must be tight, rdp
          --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --noise-multiplier 0 | too small for a single step
          --epsilon 1 --delta 1e-5 --steps 10 --noise-multiplier 0 | cannot reach epsilon
          --epsilon 0.3 --delta 1e-5 --sampling-rate 0.01 --steps 10 --by moments | cannot reach epsilon
          --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --steps 10 --group 0 | --group must be a whole number from 1
          """)
  void calibrate(String options, String message) {
    assertRefused(Console.line("calibrate " + options), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --create --epsilon 1              | --create needs --epsilon and --delta
          --create --epsilon 0 --delta 1e-5 | --epsilon must be finite and above 0
          --create --epsilon Infinity --delta 1e-5 | --epsilon must be finite and above 0
          --create --epsilon 1 --delta 2    | --delta must be above 0 and below 1
          --create --epsilon 1 --delta 1e-5 --foreign-epsilon 1 | --foreign-epsilon must be at least 0 and below --epsilon, got 1
          --create --epsilon 1 --delta 1e-5 --foreign-epsilon NaN | got NaN
          --create --epsilon 1 --delta 1e-5 --foreign-delta 6e-6 | --foreign-delta must be at least 0 and at most half of --delta
          --create --epsilon 1 --delta 1e-5 --gaussian 3 | --epsilon-delta, --zcdp and --gaussian need --add
          --create --add --epsilon 1 --delta 1e-5 --gaussian 3 | --create and --add cannot be combined
          --add                             | --add needs exactly one of
          --add --gaussian 3 --zcdp 1       | --add needs exactly one of
          --add --gaussian 0                | --gaussian must be finite and above 0, got 0
          --add --gaussian 1e400            | got 1e400
          --add --epsilon-delta -1          | epsilon in --epsilon-delta must be finite and at least 0, got -1
          --add --epsilon-delta 1,1         | delta in --epsilon-delta must be at least 0 and below 1, got 1
          --add --epsilon-delta 1,0,0       | --epsilon-delta must be at most two numbers, got 1,0,0
          --add --epsilon-delta 1,          | delta in --epsilon-delta
          --add --zcdp 0,1e-7               | rho in --zcdp must be finite and above 0, got 0
          --add --zcdp 0.1,0                | delta in --zcdp must be above 0 and below 1, got 0
          --add --zcdp 0.1                  | --zcdp needs a budget with a delta for releases of other tools
          --add --gaussian 3 --replace-one  | --replace-one need --create
          --zcdp 1                          | need --add
          --data people                     | --data needs --create or --add
          --foreign-epsilon 1               | need --create
          """)
  void budget(String options, String message, @TempDir Path folder) {
    Path existing = folder.resolve("existing.budget");
    Console.line("budget " + existing + " --create --epsilon 3 --delta 1e-5");
    boolean create = options.startsWith("--create");
    Path file = create ? folder.resolve("new.budget") : existing;
    assertRefused(Console.line("budget " + file + " " + options), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          ''              | a command is missing
          acount          | did you mean account?
          --nonsense      | --nonsense
          reproduce       | an ID is missing
          reproduce moon  | ID must be one of composition, extreme, linear-1, linear-2, mnist-decay, cifar10-decay, noise, abadi-mnist, abadi-cifar10, pums, groups, got moon
          reproduce extreme --seeds 0   | --seeds must be a whole number from 1
          reproduce extreme --seeds two | --seeds must be a whole number from 1
          """)
  void others(String line, String message) {
    assertRefused(Console.line(line), message);
  }

  @Test
  void curve_thatIsAFolder_isRefusedBeforeTheWork(@TempDir Path folder) {
    Outcome outcome =
        Console.run(
            "account",
            "--sampling-rate",
            "0.01",
            "--noise-multiplier",
            "4",
            "--steps",
            "10",
            "--delta",
            "1e-5",
            "--curve",
            folder.toString());

    assertRefused(outcome, "--curve must be a file that can be written");
    assertThat(outcome.out()).isEmpty();
  }

  /** Options are checked before images are read, so this test needs no images. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --unit user | --unit user needs --user-file or --simulated-users
          --unit user-update --user-column id | --user-column applies only to tables
          --unit user --user-file a --simulated-users 3 | --user-file and --simulated-users cannot be combined
          --unit user --simulated-users 0 | --simulated-users must be a whole number from 1
          --simulated-users 10 | need --unit user or user-update
          --unit person | --unit
          --pca 60 | --pca needs --model mlp, or linear on a table, got mnist-cnn
          --pca 785 --model mlp | --pca must be at most the number of inputs, 784, got 785
          --adaptive-clip 0.5 --clipping auto | adaptive clipping requires flat groups
          --clip 1e31 | --clip must be above 0
          --metrics loss --loss-bound 0 | --loss-bound must be above 0, got 0
          --metrics loss,accuracy,classes --metric-share 0.4 | shares must add up to less than 1
          --noise-multiplier 1 | cannot be combined unless exactly one of --batch and --steps is given
          """)
  void trainAndPlanOnImages(String options, String message) {
    assertRefused(Console.line("train --data mnist --epsilon 1 " + options), message);
    assertRefused(Console.line("plan --data mnist --epsilon 1 " + options), message);
  }

  private static void assertRefused(Outcome outcome, String message) {
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).startsWith("sordino").contains(message).doesNotContain("Exception");
  }
}
