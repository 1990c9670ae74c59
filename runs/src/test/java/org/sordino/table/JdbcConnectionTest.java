package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcConnectionTest {

  private static final String URL = "jdbc:h2:mem:connection;DB_CLOSE_DELAY=-1";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          jdbc:postgresql://db.example:5432/people                   | jdbc:postgresql://db.example:5432/people
          jdbc:postgresql://db/people?user=secret&password=secret    | jdbc:postgresql://db/people
          jdbc:postgresql://secret:secret@db:5432/people             | jdbc:postgresql://db:5432/people
          jdbc:postgresql:people                                     | jdbc:postgresql:people
          jdbc:mysql://secret:secret@db:3306/people?useSSL=true      | jdbc:mysql://db:3306/people
          jdbc:mysql://secret:se@cr/et@db/people                     | jdbc:mysql://db/people
          jdbc:mysql://secret:se?secret@db/people                    | jdbc:mysql:...
          jdbc:mysql://secret:se;secret@db/people                    | jdbc:mysql:...
          jdbc:mysql://(host=db,user=secret,password=secret)/people  | jdbc:mysql://
          jdbc:mysql://address=(host=db)(password=secret)/people     | jdbc:mysql:/
          jdbc:mariadb://db/people?password=secret@secret            | jdbc:mariadb:...
          jdbc:sqlserver://db:1433;databaseName=p;user=secret;password={secret} | jdbc:sqlserver://db:1433
          jdbc:oracle:thin:secret/secret@//db:1521/people            | jdbc:oracle:thin:@//db:1521/people
          jdbc:oracle:thin:secret/secret@db:1521:people              | jdbc:oracle:thin:@db:1521:people
          jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=secret)))    | jdbc:oracle:thin:@
          jdbc:h2:mem:people;USER=secret;PASSWORD=secret             | jdbc:h2:mem:people
          jdbc:h2:tcp://db/~/people;PASSWORD=secret                  | jdbc:h2:tcp://db/~/people
          jdbc:duckdb:                                               | jdbc:duckdb:
          jdbc:duckdb:people.db                                      | jdbc:duckdb:people.db
          jdbc:duckdb:md:people?motherduck_token=secret              | jdbc:duckdb:md:people
          jdbc:db2://db:50000/people:user=secret;password=secret;    | jdbc:db2://db:50000/people
          jdbc:teradata://db/USER=secret,PASSWORD=secret             | jdbc:teradata://db
          jdbc:snowflake://x.example/#secret                         | jdbc:snowflake://x.example/
          jdbc:secret/secret@db                                      | jdbc:...
          jdbc:                                                      | jdbc:...
          postgresql://secret:secret@db                              | jdbc:...
          """)
  void redacted_url_hasNoSecrets(String url, String expected) {
    assertThat(JdbcConnection.redacted(url)).isEqualTo(expected.strip()).doesNotContain("secret");
  }

  @Test
  void redacted_oddUrl_isShortAndPlain() {
    assertThat(JdbcConnection.redacted("jdbc:h2:mem:" + "x".repeat(500))).isEqualTo("jdbc:h2:...");
    assertThat(JdbcConnection.redacted("jdbc:h2:mem:\u001b[31m")).isEqualTo("jdbc:h2:...");
  }

  @Test
  void dataSource_classPath_connects() throws SQLException {
    DataSource database = JdbcConnection.dataSource(URL, null, user("sa", ""));
    Databases.run(database, "create table if not exists t (x int)");

    assertThat(TableSource.jdbc(database, "select * from t").columns()).containsExactly("x");
    assertThat(database).hasToString("jdbc:h2:mem:connection");
    assertThat(database.isWrapperFor(DataSource.class)).isTrue();
    assertThat(database.unwrap(DataSource.class)).isSameAs(database);
  }

  @Test
  void dataSource_jar_usesTheDriverInIt() throws SQLException {
    DataSource database = JdbcConnection.dataSource(URL, h2Jar(), user("sa", ""));

    try (Connection connection = database.getConnection()) {
      assertThat(connection.getClass().getName()).isEqualTo("org.h2.jdbc.JdbcConnection");
      assertThat(connection.getClass().getClassLoader())
          .isNotSameAs(JdbcConnectionTest.class.getClassLoader());
    }
    assertThat(TableSource.jdbc(database, "select 1 a").columns()).containsExactly("a");
  }

  @Test
  void dataSource_wrongPassword_isExplainedWithoutIt() throws SQLException {
    String url = "jdbc:h2:mem:guarded;DB_CLOSE_DELAY=-1";
    Databases.run(JdbcConnection.dataSource(url, null, user("owner", "right")), "select 1");
    DataSource wrong = JdbcConnection.dataSource(url, null, user("owner", "secret"));

    assertThatThrownBy(() -> TableSource.jdbc(wrong, "select 1").columns())
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith(
            "query: the database must accept the user name and password, got SQLState 28000")
        .hasNoCause()
        .message()
        .doesNotContain("secret", "owner");
    try (Connection connection = wrong.getConnection("owner", "right")) {
      assertThat(connection.isValid(1)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:nothing://secret:secret@db/x", "jdbc:nothing:x;password=secret"})
  void dataSource_noDriver_isNamed(String url) {
    assertRefused(url, null, "a JDBC driver for jdbc:nothing:");
    assertRefused(url, h2Jar(), "must contain a JDBC driver for jdbc:nothing:");
  }

  @Test
  void dataSource_badArguments_areRefused(@TempDir Path folder) throws IOException {
    assertRefused("postgresql://secret", null, "database URL must start with jdbc:; see");
    assertRefused(
        URL, folder.resolve("none.jar"), "none.jar must be the JAR file of a JDBC driver");
    Path text = Files.writeString(folder.resolve("text.jar"), "no archive");
    assertRefused(URL, text, "text.jar must contain a JDBC driver");
    Path broken = folder.resolve("broken.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(broken))) {
      out.putNextEntry(new ZipEntry("META-INF/services/java.sql.Driver"));
      out.write("org.example.Absent".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    assertRefused(URL, broken, "broken.jar must contain a JDBC driver that can be loaded");
  }

  private static void assertRefused(String url, Path jar, String message) {
    assertThatThrownBy(() -> JdbcConnection.dataSource(url, jar, new Properties()))
        .isInstanceOf(TableException.class)
        .hasMessageContaining(message)
        .hasNoCause()
        .message()
        .doesNotContain("secret");
  }

  private static Path h2Jar() {
    try {
      return Path.of(
          org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Properties user(String name, String password) {
    Properties properties = new Properties();
    properties.put("user", name);
    properties.put("password", password);
    return properties;
  }
}
