package org.sordino.table;

import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens databases by URL, for programs without a connection pool.
 *
 * <p>A URL may contain a password. Error messages and {@code toString} therefore contain only the
 * {@link #redacted} URL.
 */
public final class JdbcConnection {

  private static final String PREFIX = "jdbc:";
  private static final int LONGEST = 200;

  private JdbcConnection() {}

  /**
   * Returns a data source that opens a new connection for each call.
   *
   * @param url JDBC URL, which starts with {@code jdbc:}
   * @param driverJar JAR file of the JDBC driver, or null if the driver is on the class path. The
   *     file stays open until the program ends.
   * @param credentials properties for the driver; usually {@code user} and {@code password}
   * @throws TableException if no driver is found for the URL
   */
  public static DataSource dataSource(
      String url, @Nullable Path driverJar, Properties credentials) {
    if (!url.startsWith(PREFIX)) {
      throw new TableException(
          "database URL must start with jdbc:; see the driver's documentation for its format");
    }
    Driver driver = driverJar == null ? registeredDriver(url) : driverOf(driverJar, url);
    Properties copy = new Properties();
    credentials.stringPropertyNames().forEach(key -> copy.put(key, credentials.getProperty(key)));
    return new DriverDataSource(driver, url, copy);
  }

  /**
   * Returns a URL without secrets, for messages and files. User name and password are removed, and
   * everything after {@code ?}, {@code ;}, {@code #} or an opening parenthesis. If the position of
   * the secrets is ambiguous, only the kind of database remains, as in {@code jdbc:mysql:...}.
   */
  public static String redacted(String url) {
    int kindEnd = url.startsWith(PREFIX) ? url.indexOf(':', PREFIX.length()) : -1;
    String kind = kindEnd < 0 ? "" : url.substring(0, kindEnd + 1);
    if (!kind.matches("jdbc:[A-Za-z0-9_.+-]{1,40}:")) {
      return "jdbc:...";
    }
    String rest = url.substring(kindEnd + 1);
    int options = indexOfAny(rest, "?;#(");
    if (rest.indexOf('@', options) >= 0 && options < rest.length()) {
      return kind + "..."; // a password with one of these characters, or an option with an @
    }
    String place = withoutUser(rest.substring(0, options));
    int assigned = place.indexOf('=');
    if (assigned >= 0) { // options after a colon, a slash or a comma
      place = place.substring(0, lastIndexOfAny(place.substring(0, assigned), ":/,&"));
    }
    String redacted = kind + place;
    boolean plain = redacted.length() <= LONGEST && redacted.chars().noneMatch(c -> c < ' ');
    return plain ? redacted : kind + "...";
  }

  /** Removes the part before the last {@code @}, except for a scheme. */
  private static String withoutUser(String place) {
    int at = place.lastIndexOf('@');
    if (at < 0) {
      return place;
    }
    int slashes = place.indexOf("//");
    if (slashes >= 0 && slashes < at) {
      return place.substring(0, slashes + 2) + place.substring(at + 1);
    }
    int colon = place.indexOf(':'); // as in thin:scott/tiger@host
    String scheme = colon >= 0 && colon < at ? place.substring(0, colon + 1) : "";
    return (scheme.matches("[A-Za-z0-9]{1,20}:") ? scheme : "") + place.substring(at);
  }

  private static int indexOfAny(String text, String characters) {
    int i = 0;
    while (i < text.length() && characters.indexOf(text.charAt(i)) < 0) {
      i++;
    }
    return i;
  }

  /** Returns the last index of one of the characters, or 0 if the text contains none. */
  private static int lastIndexOfAny(String text, String characters) {
    int i = text.length() - 1;
    while (i > 0 && characters.indexOf(text.charAt(i)) < 0) {
      i--;
    }
    return Math.max(i, 0);
  }

  private static Driver registeredDriver(String url) {
    try {
      return DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new TableException(
          "a JDBC driver for "
              + redacted(url)
              + " must be on the class path, got none; add the driver's JAR, and check the URL"
              + " against its documentation");
    }
  }

  private static Driver driverOf(Path jar, String url) {
    if (!Files.isRegularFile(jar)) {
      throw new TableException(jar + " must be the JAR file of a JDBC driver; check the path");
    }
    try {
      // Excludes the class path of the program, so that the driver of the given JAR is used.
      URL[] place = {jar.toUri().toURL()};
      ClassLoader loader = new URLClassLoader(place, ClassLoader.getPlatformClassLoader());
      for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
        if (driver.acceptsURL(url)) {
          return driver;
        }
      }
    } catch (MalformedURLException | SQLException | ServiceConfigurationError | LinkageError e) {
      throw new TableException(
          jar
              + " must contain a JDBC driver that can be loaded; check that the file is complete"
              + " and suits this version of Java. Loading failed with "
              + e.getClass().getName());
    }
    throw new TableException(
        jar
            + " must contain a JDBC driver for "
            + redacted(url)
            + ", got none; check the JAR and the URL");
  }

  /** A minimal data source: a driver, a URL and properties. */
  private static final class DriverDataSource implements DataSource {

    private final Driver driver;
    private final String url;
    private final Properties properties;

    private DriverDataSource(Driver driver, String url, Properties properties) {
      this.driver = driver;
      this.url = url;
      this.properties = properties;
    }

    @Override
    public Connection getConnection() throws SQLException {
      return connect(new Properties());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      Properties more = new Properties();
      more.put("user", user);
      more.put("password", password);
      return connect(more);
    }

    private Connection connect(Properties more) throws SQLException {
      Properties all = new Properties();
      all.putAll(properties);
      all.putAll(more);
      Connection connection = driver.connect(url, all);
      if (connection == null) {
        throw new SQLException("the driver does not accept the URL", "08001");
      }
      return connection;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      if (!type.isInstance(this)) {
        throw new SQLException("not a wrapper");
      }
      return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return type.isInstance(this);
    }

    @Override
    public String toString() {
      return redacted(url);
    }
  }
}
