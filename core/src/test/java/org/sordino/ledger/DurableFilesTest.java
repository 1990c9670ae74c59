package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sordino.ledger.FaultyStorage.Fault;

class DurableFilesTest {

  private static final byte[] OLD = "the old content".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  @Test
  void replace_newAndExistingFile_holdsTheContent() throws IOException {
    Path target = folder.resolve("checkpoint");
    DurableFiles.replace(target, OLD);
    assertThat(target).hasBinaryContent(OLD);
    Files.writeString(folder.resolve("checkpoint.tmp"), "left by a crash");
    DurableFiles.replace(target, NEW);
    assertThat(target).hasBinaryContent(NEW);
    DurableFiles.replace(target, new byte[0]);
    assertThat(target).isEmptyFile();
    assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void replace_interruptedThread_worksAndStaysInterrupted() throws IOException {
    Thread.currentThread().interrupt();
    try {
      DurableFiles.replace(folder.resolve("checkpoint"), NEW);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(folder.resolve("checkpoint")).hasBinaryContent(NEW);
  }

  @Test
  void replace_returned_survivesALossOfPower() throws IOException {
    FaultyStorage storage = new FaultyStorage();
    Path target = folder.resolve("checkpoint");
    DurableFiles.replace(storage, target, OLD);
    DurableFiles.replace(storage, target, NEW);
    storage.losePower(0);
    assertThat(target).hasBinaryContent(NEW);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void replace_anyOperationFails_leavesTheOldOrTheNewContent(Fault fault) throws IOException {
    for (long failing = 0; failing < 7; failing++) {
      for (double luck : new double[] {0, 0.5, 1, Double.NaN}) {
        FaultyStorage storage = new FaultyStorage();
        Path target = folder.resolve(failing + "-" + luck);
        DurableFiles.replace(storage, target, OLD);
        storage.failAt(failing, fault);
        assertThatThrownBy(() -> DurableFiles.replace(storage, target, NEW))
            .isInstanceOf(IOException.class);
        if (!Double.isNaN(luck)) {
          storage.losePower(luck);
        }
        assertThat(Files.readAllBytes(target)).isIn(OLD, NEW);
        storage.failAt(-1, fault);
        DurableFiles.replace(storage, target, NEW);
        assertThat(target).hasBinaryContent(NEW);
        assertThat(storage.operations()).isEqualTo(7);
      }
    }
  }
}
