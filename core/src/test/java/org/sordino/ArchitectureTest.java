package org.sordino;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.sordino.training.GradientEngine;

class ArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.sordino");

  @Test
  void rootPackage_dependsOnJsonOnly() {
    classes()
        .that()
        .resideInAPackage("org.sordino")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("org.sordino", "org.sordino.json", "java..", "org.jspecify..")
        .check(MAIN);
  }

  @Test
  void accounting_dependsOnTheRootPackageOnly() {
    classes()
        .that()
        .resideInAPackage("org.sordino.accounting")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.sordino",
            "org.sordino.accounting",
            "java..",
            "org.jspecify..",
            "org.apache.commons.numbers..")
        .check(MAIN);
  }

  @Test
  void ledger_dependsOnTheRootPackageAndJsonOnly() {
    classes()
        .that()
        .resideInAPackage("org.sordino.ledger")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "org.sordino", "org.sordino.json", "org.sordino.ledger", "java..", "org.jspecify..")
        .check(MAIN);
  }

  @Test
  void randomSamplingAndMechanism_doNotDependOnTheLedgerOrTheTrainer() {
    noClasses()
        .that()
        .resideInAnyPackage("org.sordino.random", "org.sordino.sampling", "org.sordino.mechanism")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino.ledger", "org.sordino.training", "org.sordino.accounting")
        .check(MAIN);
  }

  /**
   * An engine receives the sample, the parameters and the clipping rule. It can neither add noise
   * nor read the ledger.
   */
  @Test
  void engines_dependOnNeitherNoiseNorLedger() {
    noClasses()
        .that()
        .implement(GradientEngine.class)
        .should()
        .dependOnClassesThat()
        .haveNameMatching("org\\.sordino\\.ledger\\..*|.*\\.GaussianNoise")
        .check(MAIN);
  }

  @Test
  void json_dependsOnNoOtherSordinoPackage() {
    noClasses()
        .that()
        .resideInAPackage("org.sordino.json")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino", "org.sordino.accounting..")
        .check(MAIN);
  }

  @Test
  void jackson_isHiddenBehindJson() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sordino.json")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("tools.jackson..")
        .check(MAIN);
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("org.sordino.(*)..").should().beFreeOfCycles().check(MAIN);
  }
}
