package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.sordino.run.Learner;
import org.sordino.training.LinearModel;

/**
 * Compatibility with plans and models of version 0.1, commit b57eff2: the same parameters give the
 * same plan and, with the same insecure seed, the same weights; saved models can be read.
 */
class OldModelsTest {

  private static final Path OLD = Path.of("src/test/resources/version-0.1");
  private static final Learner LOGISTIC = Learner.linear(LinearModel.logistic(2));

  private static SparkSession session;

  @BeforeAll
  static void start() {
    session = Sparks.local();
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static void checkPlan(String name, DpClassifier classifier, Learner learner)
      throws IOException {
    assertThat(classifier.plan(learner).toJson())
        .isEqualTo(Files.readString(OLD.resolve("plans").resolve(name + ".json")).strip());
  }

  @Test
  void plan_defaults_areThoseOfVersion01() throws IOException {
    checkPlan(
        "logistic", new DpClassifier().setEpsilon(1).setDelta(1e-6).setPopulation(4_000), LOGISTIC);
    checkPlan("large", new DpClassifier().setEpsilon(0.5).setPopulation(1_000_000), LOGISTIC);
    checkPlan(
        "regression",
        new DpClassifier().setEpsilon(2).setPopulation(2_000).setSteps(40).setFamily("linear"),
        Learner.linear(LinearModel.regression(2)));
  }

  @Test
  void plan_everyParameterSet_isThatOfVersion01() throws IOException {
    checkPlan(
        "softmax",
        new DpClassifier()
            .setEpsilon(2)
            .setPopulation(2_000)
            .setExpectedBatch(250)
            .setEpochs(2)
            .setClip(0.25)
            .setLearningRate(0.05)
            .setWeightDecay(1e-4)
            .setNumClasses(3),
        Learner.linear(LinearModel.softmax(2, 3)));
  }

  @Test
  void plan_users_isThatOfVersion01() throws IOException {
    checkPlan(
        "users",
        new DpClassifier()
            .setEpsilon(4)
            .setPopulation(600)
            .setExpectedBatch(200)
            .setSteps(60)
            .setUserCol("who")
            .setRowsPerUser(8),
        LOGISTIC);
  }

  private static DpClassificationModel saved(String name) {
    return DpClassificationModel.load(OLD.resolve("models").resolve(name).toString());
  }

  private static DpClassifier classifier() {
    return new DpClassifier()
        .setEpsilon(2)
        .setPopulation(2_000)
        .setExpectedBatch(250)
        .setInsecureSeed(7);
  }

  @Test
  void load_logistic_predictsAndEqualsANewFit() {
    DpClassificationModel model = saved("logistic");
    assertThat(model.uid()).isEqualTo("logistic");
    assertThat(model.numClasses()).isEqualTo(2);
    assertThat(model.epsilon()).isInfinite();
    Row first = model.transform(Tables.frame(session, 2_000, 2)).head();
    assertThat(first.<Object>getAs("probability"))
        .isEqualTo(Vectors.dense(0.3473743303928689, 0.6526256696071311));
    assertThat(classifier().setSteps(40).fit(Tables.frame(session, 2_000, 2)).weights())
        .isEqualTo(model.weights());
  }

  @Test
  void load_softmax_predictsAndEqualsANewFit() {
    DpClassificationModel model = saved("softmax");
    assertThat(model.numClasses()).isEqualTo(3);
    Row first = model.transform(Tables.frame(session, 2_000, 3)).head();
    assertThat(first.<Object>getAs("probability"))
        .isEqualTo(Vectors.dense(0.24551002904635802, 0.36619225299446395, 0.388297717959178));
    assertThat(first.<Double>getAs("class")).isEqualTo(2.0);
    DpClassifier same = classifier().setEpochs(2).setWeightDecay(1e-4).setNumClasses(3);
    assertThat(same.fit(Tables.frame(session, 2_000, 3)).weights()).isEqualTo(model.weights());
  }

  @Test
  void load_regression_predictsAndEqualsANewFit() {
    DpClassificationModel model = saved("regression");
    assertThat(model.numClasses()).isEqualTo(1);
    Row first = model.transform(Tables.frame(session, 2_000, 2)).head();
    assertThat(first.<Double>getAs("prediction")).isEqualTo(0.48993084476567245);
    DpClassifier same = classifier().setSteps(40).setFamily("linear").setLabelCol("a");
    assertThat(same.fit(Tables.frame(session, 2_000, 2)).weights()).isEqualTo(model.weights());
  }
}
