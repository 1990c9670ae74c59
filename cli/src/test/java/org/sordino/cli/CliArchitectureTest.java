package org.sordino.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies point from cli to reproduction to torch to runs to core. */
class CliArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.sordino");

  @Test
  void otherPackages_doNotDependOnTheCommandLine() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.sordino.cli")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino.cli", "picocli..", "me.tongfei..")
        .check(MAIN);
  }

  @Test
  void libraries_doNotDependOnTheReproductions() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.sordino.cli", "org.sordino.reproduction")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.sordino.reproduction")
        .check(MAIN);
  }

  @Test
  void layers_doNotDependOnRuns() {
    noClasses()
        .that()
        .resideInAPackage("org.sordino.torch")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.sordino.network", "org.sordino.run", "org.sordino.table")
        .check(MAIN);
  }

  /** A linear model can be loaded and applied on platforms without libtorch. */
  @Test
  void runsAndCore_doNotDependOnNativeLibraries() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.sordino.torch",
            "org.sordino.network",
            "org.sordino.cli",
            "org.sordino.reproduction")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.bytedeco..", "org.sordino.torch", "org.sordino.network")
        .check(MAIN);
  }

  @Test
  void commandLine_staysSmall() {
    long types =
        MAIN.stream()
            .filter(type -> type.getPackageName().equals("org.sordino.cli"))
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .count();

    assertThat(types).isBetween(1L, 34L);
  }
}
