package org.sordino.run;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the dependencies between the packages of this module and on other libraries. */
class RunsArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.sordino");

  @Test
  void library_doesNotDependOnCommandLineNativeCodeOrCluster() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "picocli..",
            "org.bytedeco..",
            "org.apache.spark..",
            "org.sordino.cli..",
            "org.sordino.torch..",
            "org.sordino.network..",
            "org.sordino.spark..")
        .check(MAIN);
  }

  @Test
  void tables_doNotDependOnRunsOrReports() {
    noClasses()
        .that()
        .resideInAPackage("org.sordino.table")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino.run", "org.sordino.report", "org.sordino.ledger")
        .check(MAIN);
  }

  @Test
  void reports_doNotDependOnRunsOrTables() {
    noClasses()
        .that()
        .resideInAPackage("org.sordino.report")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino.run", "org.sordino.table")
        .check(MAIN);
  }

  @Test
  void csvParser_isHiddenBehindTables() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sordino.table")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("de.siegmar..")
        .check(MAIN);
  }

  @Test
  void library_neitherExitsNorPrints() {
    noClasses()
        .that()
        .resideInAnyPackage("org.sordino.table", "org.sordino.run", "org.sordino.report")
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .check(MAIN);
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("org.sordino.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"org.sordino.run", "org.sordino.report"})
  void packages_areSmall(String name) {
    long types =
        MAIN.stream()
            .filter(type -> type.getPackageName().equals(name))
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .count();

    assertThat(types).isBetween(1L, 33L);
  }
}
