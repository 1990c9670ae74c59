package org.sordino.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of this module. */
class SparkArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.sordino.spark");

  /** Networks are found at run time, and commands are part of the command line. */
  @Test
  void spark_dependsOnNeitherCommandLineNorNetworks() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "picocli..",
            "org.bytedeco..",
            "org.sordino.cli..",
            "org.sordino.reproduction..",
            "org.sordino.torch..",
            "org.sordino.network..")
        .check(MAIN);
  }

  /** An error in a task must not end the process of a driver or an executor. */
  @Test
  void spark_neitherExitsNorPrints() {
    noClasses()
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .check(MAIN);
  }
}
