package org.sordino.spark;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.StringIndexerModel;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.ledger.Ledger;
import org.sordino.run.BudgetFile;
import org.sordino.run.BudgetRefusedException;

class DpClassifierTest {

  private static final int RECORDS = 2_000;

  private static SparkSession session;
  private static Dataset<Row> table;

  @BeforeAll
  static void start() {
    session = Sparks.local();
    table = table(2).cache();
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static Dataset<Row> table(int classes) {
    return Tables.frame(session, RECORDS, classes);
  }

  private static DpClassifier classifier() {
    return unlimited().setSteps(40);
  }

  private static DpClassifier unlimited() {
    return new DpClassifier()
        .setEpsilon(2)
        .setDelta(1e-5)
        .setPopulation(RECORDS)
        .setExpectedBatch(250);
  }

  private static double accuracy(Dataset<Row> predicted) {
    return new MulticlassClassificationEvaluator().setMetricName("accuracy").evaluate(predicted);
  }

  @Test
  void fit_inAPipelineAfterVectorAssembler_predictsAndStatesItsCost(@TempDir Path folder)
      throws Exception {
    VectorAssembler assembler =
        new VectorAssembler().setInputCols(new String[] {"a", "b"}).setOutputCol("features");
    Pipeline pipeline =
        new Pipeline().setStages(new PipelineStage[] {assembler, classifier().setClip(1)});
    PipelineModel fitted = pipeline.fit(table.drop("features"));
    Dataset<Row> predicted = fitted.transform(table.drop("features"));
    assertThat(accuracy(predicted)).isGreaterThan(0.9);
    assertThat(predicted.columns()).endsWith("probability", "prediction");
    DpClassificationModel model = (DpClassificationModel) fitted.stages()[1];
    assertThat(model.epsilon()).isBetween(1.9, 2.0);

    String path = folder.resolve("pipeline").toString();
    fitted.write().save(path);
    PipelineModel loaded = PipelineModel.load(path);
    DpClassificationModel again = (DpClassificationModel) loaded.stages()[1];
    assertThat(again.weights()).isEqualTo(model.weights());
    assertThat(again.epsilon()).isEqualTo(model.epsilon());
    assertThat(again.uid()).isEqualTo(model.uid());
    assertThat(loaded.transform(table.drop("features")).select("prediction").collectAsList())
        .isEqualTo(predicted.select("prediction").collectAsList());
  }

  @Test
  void fit_threeClasses_givesProbabilitiesThatAddUp() {
    Dataset<Row> three = table(3);
    DpClassificationModel model =
        unlimited().setNumClasses(3).setEpochs(2).setWeightDecay(1e-4).fit(three);
    assertThat(model.numClasses()).isEqualTo(3);
    Row row = model.setPredictionCol("class").transform(three).head();
    Vector probabilities = row.getAs("probability");
    assertThat(probabilities.size()).isEqualTo(3);
    assertThat(probabilities.apply(0) + probabilities.apply(1) + probabilities.apply(2))
        .isBetween(1 - 1e-9, 1 + 1e-9);
    assertThat(row.<Double>getAs("class")).isEqualTo((double) probabilities.argmax());
  }

  @Test
  void fit_familyLinear_predictsANumber(@TempDir Path folder) throws Exception {
    DpClassificationModel model = classifier().setFamily("linear").setLabelCol("a").fit(table);
    assertThat(model.numClasses()).isEqualTo(1);
    Dataset<Row> predicted = model.transform(table);
    assertThat(predicted.columns()).contains("prediction").doesNotContain("probability");
    double square =
        predicted.selectExpr("avg((a - prediction) * (a - prediction))").head().getDouble(0);
    assertThat(square).isLessThan(0.1); // a alone: 1/3
    String path = folder.resolve("linear").toString();
    model.write().save(path);
    assertThat(DpClassificationModel.load(path).transform(table).collectAsList())
        .isEqualTo(predicted.collectAsList());
  }

  /** The public metadata of the columns is kept for later stages. */
  @Test
  void transform_anyModel_keepsMetadata() {
    DpClassificationModel model = classifier().setSteps(2).fit(table);
    assertThat(model.transform(table).schema().apply("features"))
        .isEqualTo(table.schema().apply("features"));
    assertThat(model.transform(table).schema()).isEqualTo(model.transformSchema(table.schema()));
  }

  @Test
  void fit_architectureWithoutTorch_namesTheModuleToAdd() {
    String network = "{\"input\": [2], \"layers\": [{\"type\": \"linear\", \"out\": 2}]}";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setArchitecture(network).fit(table))
        .withMessageContaining("add org.sordino:sordino-torch");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setArchitecture("a network").fit(table))
        .withMessageContaining("architecture: JSON");
  }

  @Test
  void copyAndSave_estimator_keepAllParameters(@TempDir Path folder) throws Exception {
    DpClassifier original =
        classifier().setFeaturesCol("x").setLabelCol("y").setClip(0.25).setExpectedBatch(100);
    DpClassifier copy = original.copy(ParamMap.empty());
    String path = folder.resolve("estimator").toString();
    original.write().save(path);
    for (DpClassifier other : List.of(copy, DpClassifier.load(path))) {
      assertThat(other.uid()).isEqualTo(original.uid());
      assertThat(other.getOrDefault(other.featuresCol())).isEqualTo("x");
      assertThat(other.getOrDefault(other.clip())).isEqualTo(0.25);
      assertThat(other.getOrDefault(other.population())).isEqualTo((long) RECORDS);
      assertThat(other.getOrDefault(other.delta())).isEqualTo(1e-5);
    }
    DpClassificationModel model = classifier().setSteps(3).fit(table);
    assertThat(model.copy(ParamMap.empty()).weights()).isEqualTo(model.weights());
  }

  @Test
  void fit_twiceWithoutABudget_isRefused() {
    DpClassifier estimator = classifier().setSteps(3);
    estimator.fit(table);
    assertThatIllegalStateException()
        .isThrownBy(() -> estimator.copy(ParamMap.empty()).fit(table))
        .withMessageContaining("a second fit of " + estimator.uid())
        .withMessageContaining("set budgetFile");
  }

  private static CrossValidator validator(DpClassifier estimator) {
    ParamMap[] grid = new ParamGridBuilder().addGrid(estimator.clip(), new double[] {0.5}).build();
    return new CrossValidator()
        .setEstimator(estimator)
        .setEvaluator(new MulticlassClassificationEvaluator())
        .setEstimatorParamMaps(grid)
        .setNumFolds(2);
  }

  @Test
  void fit_insideCrossValidatorWithoutABudget_isRefusedAtOnce() {
    assertThatThrownBy(() -> validator(classifier()).fit(table))
        .hasStackTraceContaining("a private estimator cannot be fitted by a tuning tool");
  }

  @Test
  @Tag("slow")
  void fit_insideCrossValidatorWithABudget_addsUpAllFits(@TempDir Path folder) {
    Path roomy = folder.resolve("roomy.json");
    PrivacyBudget limit = new PrivacyBudget(9, 1e-5);
    BudgetFile.create(roomy, limit, Neighboring.ADD_OR_REMOVE_ONE, "test");
    validator(classifier().setSteps(5).setBudgetFile(roomy.toString())).fit(table);
    assertThat(roomy).content().containsSubsequence("executed", "executed", "executed");
    Path tight = folder.resolve("tight.json");
    limit = new PrivacyBudget(3, 1e-5);
    BudgetFile.create(tight, limit, Neighboring.ADD_OR_REMOVE_ONE, "test");
    assertThatThrownBy(
            () -> validator(classifier().setSteps(5).setBudgetFile(tight.toString())).fit(table))
        .hasStackTraceContaining(BudgetRefusedException.class.getName());
  }

  @Test
  void fit_invalidParameter_isRefusedWithTheFix() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DpClassifier().setEpsilon(1).fit(table))
        .withMessage("population must be set; it is the number of rows or users");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DpClassifier().setPopulation(10).fit(table))
        .withMessage("epsilon must be set; it is the privacy budget of the fit");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setFamily("cubic").fit(table))
        .withMessage("family must be auto, logistic, softmax or linear, got cubic");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setFeaturesCol("a").fit(table))
        .withMessageContaining("column a must be a vector");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setLabelCol("none").fit(table))
        .withMessageContaining("column none must be in the table");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setEpsilon(Double.NaN).fit(table))
        .withMessage("epsilon must be above 0, got NaN; try 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setLabelCol("a").fit(table))
        .withMessage("labels must be classes 0 to 1, got other values; correct them");
  }

  /** The message recommends what this test does. It must not recommend a fitted StringIndexer. */
  @Test
  void fit_labelsAsText_namesDeclaredClassesWhichWork() {
    Dataset<Row> named = table.withColumn("answer", expr("if(label = 1, 'yes', 'no')"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setLabelCol("answer").fit(named))
        .withMessageContaining("column answer must be numeric, got string; declare the classes")
        .withMessageContaining("new StringIndexerModel(new String[] {\"no\", \"yes\"})");
    StringIndexerModel declared =
        new StringIndexerModel(new String[] {"no", "yes"})
            .setInputCol("answer")
            .setOutputCol("class")
            .setHandleInvalid("keep");
    DpClassificationModel model =
        classifier().setInsecureSeed(1).setLabelCol("class").fit(declared.transform(named));
    assertThat(model.weights()).isEqualTo(classifier().setInsecureSeed(1).fit(table).weights());
    Dataset<Row> other = table.withColumn("answer", expr("if(label = 1, 'yes', 'secret')"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> classifier().setLabelCol("class").fit(declared.transform(other)))
        .withMessage("labels must be classes 0 to 1, got other values; correct them");
  }

  @Test
  void fit_unusableRecords_isNotCountedAsAFit() {
    DpClassifier estimator = classifier().setSteps(2).setLabelCol("a");
    assertThatIllegalArgumentException().isThrownBy(() -> estimator.fit(table));
    assertThat(estimator.setLabelCol("label").fit(table).numClasses()).isEqualTo(2);
  }

  @Test
  void fit_usersInsteadOfRows_learnsAndCountsUsers(@TempDir Path folder) {
    Dataset<Row> owned =
        table.withColumn("who", expr("concat('u', cast(a * 1000000 as int) % 300)"));
    DpClassifier users =
        new DpClassifier()
            .setEpsilon(4)
            .setPopulation(600)
            .setExpectedBatch(200)
            .setSteps(60)
            .setUserCol("who")
            .setRowsPerUser(8)
            .setRunDirectory(folder.resolve("run").toString());
    DpClassificationModel model = users.fit(owned);
    assertThat(accuracy(model.transform(owned))).isGreaterThan(0.85);
    assertThat(Ledger.read(folder.resolve("run").resolve("ledger.jsonl")).header().unit())
        .isEqualTo("user");
    assertThatThrownBy(() -> users.copy(ParamMap.empty()).setUserCol("nobody").fit(owned))
        .hasMessageContaining("column nobody must be in the table");
    assertThatThrownBy(() -> users.copy(ParamMap.empty()).setUserCol("a").fit(owned))
        .hasMessageContaining("column a must contain strings or integers, got double");
    assertThatThrownBy(() -> users.copy(ParamMap.empty()).setRowsPerUser(0).fit(owned))
        .hasMessageContaining("rowsPerUser must be at least 1");
  }

  @Test
  void fit_budgetAboutOtherNeighbors_isRefused(@TempDir Path folder) {
    Path file = folder.resolve("budget.json");
    PrivacyBudget limit = new PrivacyBudget(9, 1e-5);
    BudgetFile.create(file, limit, Neighboring.REPLACE_ONE, "test");
    assertThatThrownBy(() -> classifier().setBudgetFile(file.toString()).fit(table))
        .hasMessageContaining("must have the neighboring relation of the run");
    assertThat(file).content().doesNotContain("planned");
  }
}
