package org.sordino.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.run.InvalidInputException;
import org.sordino.run.TaskInfo;

class ImageUsersTest {

  @TempDir Path temp;

  @Test
  void file_hasAUserForEveryImage() throws IOException {
    Path file = Files.writeString(temp.resolve("users.txt"), "a\nb\na\n");

    assertThat(new ImageUsers(file.toString(), 0).users(3, 1)).containsExactly("a", "b", "a");
    assertThatThrownBy(() -> new ImageUsers(file.toString(), 0).users(4, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("one line for each of the 4 images, got 3 lines");
  }

  @Test
  void file_withByteOrderMarkAndSpaces_hasTheSameUsers() throws IOException {
    Path file = Files.writeString(temp.resolve("users.txt"), "\uFEFF7\n7 \n\t7\r\n");

    assertThat(new ImageUsers(file.toString(), 0).users(3, 1)).containsExactly("7", "7", "7");
  }

  @Test
  void file_withBlankLine_isRefusedWithItsLineNumber() throws IOException {
    Path file = Files.writeString(temp.resolve("users.txt"), "a\n \nb\n");

    assertThatThrownBy(() -> new ImageUsers(file.toString(), 0).users(3, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("users.txt line 2: the user ID must not be missing");
  }

  @Test
  void simulatedUsers_arePublicAndReproducible() {
    ImageUsers users = new ImageUsers(null, 10);
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    users.addTo(json);

    assertThat(ImageUsers.of(TaskInfo.of(json))).isEqualTo(users);
    assertThat(users.users(500, 7))
        .hasSize(500)
        .isEqualTo(ImageUsers.of(TaskInfo.of(json)).users(500, 7));
    assertThat(new TreeSet<>(users.users(500, 7))).hasSize(10);
    assertThat(users.users(500, 8)).isNotEqualTo(users.users(500, 7));
    assertThat(new ImageUsers(null, 0).users(500, 7)).isEmpty();
  }
}
