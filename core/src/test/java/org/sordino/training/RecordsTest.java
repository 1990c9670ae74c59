package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecordsTest {

  private static final LinearModel MODEL = LinearModel.logistic(4);
  private static final Examples EXAMPLES =
      LinearEngineTest.examples(MODEL, new SplittableRandom(5), 300);

  @Test
  void microbatches_everyExampleIsInOneSlot_regardlessOfTheOthers() {
    Records all = Records.microbatches(300, 40, EXAMPLES::digest);
    Set<Integer> seen = new HashSet<>();
    for (int slot = 0; slot < all.size(); slot++) {
      for (int example : all.members(slot)) {
        assertThat(seen.add(example)).isTrue();
      }
    }
    assertThat(seen).hasSize(300);
    // Without the first ten examples, the others keep their slots.
    Records fewer = Records.microbatches(290, 40, i -> EXAMPLES.digest(i + 10));
    for (int slot = 0; slot < 40; slot++) {
      int[] before = Arrays.stream(all.members(slot)).filter(i -> i >= 10).toArray();
      int[] after = Arrays.stream(fewer.members(slot)).map(i -> i + 10).toArray();
      assertThat(after).isEqualTo(before);
    }
  }

  /** 300 examples in 40 slots: the largest of 40 Poisson(7.5) exceeds 25 once in 1e5 trials. */
  @Test
  void microbatches_slotsAreOfSimilarSize() {
    Records records = Records.microbatches(300, 40, EXAMPLES::digest);
    for (int slot = 0; slot < 40; slot++) {
      assertThat(records.members(slot).length).isLessThan(25);
    }
  }

  @Test
  void users_choiceOfExamples_dependsOnThatUserOnly() {
    List<String> users = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 300; i++) {
      users.add(random.nextInt(3) == 0 ? "big" : "user" + random.nextInt(20));
    }
    Records all = Records.users(users, 7, EXAMPLES::digest);
    int big = 0;
    while (!users.get(all.members(big)[0]).equals("big")) {
      big++;
    }
    assertThat(all.members(big)).hasSize(7);
    // The same user, with other users and in another order of rows.
    int[] order = new SplittableRandom(2).ints(300, 0, 300).distinct().toArray();
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int index = i;
      if (users.get(i).equals("big") || Arrays.stream(order).anyMatch(j -> j == index)) {
        kept.add(i);
      }
    }
    Records other =
        Records.users(kept.stream().map(users::get).toList(), 7, i -> EXAMPLES.digest(kept.get(i)));
    int[] again = null;
    for (int user = 0; user < other.size(); user++) {
      if (users.get(kept.get(other.members(user)[0])).equals("big")) {
        again = Arrays.stream(other.members(user)).map(kept::get).toArray();
      }
    }
    assertThat(again).isEqualTo(all.members(big));
  }

  @Test
  void users_blankName_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Records.users(List.of("a", " "), 7, EXAMPLES::digest))
        .withMessageContaining("got a blank user at example 1");
  }
}
