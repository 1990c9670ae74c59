package org.sordino.cli;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL server on the loopback interface, started from the installed programs with an empty
 * data directory and password authentication.
 *
 * <p>The server is the child of a shell that reads from this process. However this process ends,
 * the shell reaches the end of its input, stops the server and deletes its files.
 */
final class PostgresServer {

  static final String USER = "sordino_test";
  static final String PASSWORD = "hunter2-s3cret";

  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
  private static final int START_SECONDS = 60;
  private static final int ATTEMPTS = 3;

  /** On SIGINT, PostgreSQL disconnects its clients and stops. */
  private static final String GUARD =
      "folder=$1; shift; exec 3<&0; \"$@\" </dev/null & server=$!; read -r line <&3;"
          + " kill -INT $server; wait $server; cd / && rm -rf \"$folder\"";

  private final Path log;
  private final Process shell;
  private final int port;

  private PostgresServer(Path log, Process shell, int port) {
    this.log = log;
    this.shell = shell;
    this.port = port;
  }

  /** Returns the folder with the programs of the newest version; empty if none is installed. */
  static Optional<Path> programs() throws IOException {
    List<Path> folders = new ArrayList<>();
    if (Files.isDirectory(DEBIAN)) {
      try (Stream<Path> versions = Files.list(DEBIAN)) {
        versions
            .sorted(Comparator.comparing(PostgresServer::version).reversed())
            .forEach(version -> folders.add(version.resolve("bin")));
      }
    }
    Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .filter(name -> !name.isEmpty())
        .forEach(name -> folders.add(Path.of(name)));
    return folders.stream()
        .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
        .filter(bin -> Files.isExecutable(bin.resolve("postgres")))
        .findFirst();
  }

  private static int version(Path folder) {
    String digits = folder.getFileName().toString().replaceFirst("\\D.*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  /** Starts a server. Tries again if another program takes the port first. */
  static PostgresServer start(Path programs) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      Path folder = Files.createTempDirectory("sordino-postgres");
      Account account = Account.forServer(folder);
      createData(programs, folder, account);
      PostgresServer server = launch(programs, folder, account);
      if (server.isReady()) {
        return server;
      }
      String logged = server.log();
      server.stop();
      if (attempt == ATTEMPTS) {
        throw new IOException("the server did not start: " + logged);
      }
    }
  }

  private static void createData(Path programs, Path folder, Account account)
      throws IOException, InterruptedException {
    Path password = Files.writeString(folder.resolve("password"), PASSWORD);
    account.own(folder);
    account.own(password);
    List<String> command =
        account.command(
            programs.resolve("initdb").toString(),
            "--pgdata=" + folder.resolve("data"),
            "--username=" + USER,
            "--pwfile=" + password,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync");
    Console.Outcome outcome = Shell.run(folder, Map.of("LC_ALL", "C"), START_SECONDS, command);
    if (outcome.code() != 0) {
      throw new IOException("initdb failed: " + outcome.err());
    }
    Files.delete(password);
  }

  private static PostgresServer launch(Path programs, Path folder, Account account)
      throws IOException {
    int port = freePort();
    Path log = folder.resolve("log");
    List<String> command =
        account.command(
            "/bin/sh",
            "-c",
            GUARD,
            "guard",
            folder.toString(),
            programs.resolve("postgres").toString(),
            "-D",
            folder.resolve("data").toString(),
            "-p",
            Integer.toString(port));
    List<String> settings =
        List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "log_statement=all",
            "fsync=off");
    settings.forEach(setting -> command.addAll(List.of("-c", setting)));
    Process shell =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new PostgresServer(log, shell, port);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean isReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < end) {
      try {
        connect().close();
        return true;
      } catch (SQLException e) {
        if (log().contains("could not create any TCP/IP sockets")) {
          return false; // another program took the port
        }
        Thread.sleep(50);
      }
    }
    return false;
  }

  int port() {
    return port;
  }

  /** The URL of the database without credentials. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /** The URL with credentials. */
  String urlWithPassword() {
    return url() + "?user=" + USER + "&password=" + PASSWORD;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), USER, PASSWORD);
  }

  void run(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Returns the log of the server, which contains every statement. */
  String log() throws IOException {
    return Files.readString(log, StandardCharsets.UTF_8);
  }

  /** Stops the server and deletes its files. */
  void stop() throws IOException, InterruptedException {
    shell.getOutputStream().close();
    if (!shell.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
      shell.destroyForcibly();
    }
  }

  /** The user account of the server, because PostgreSQL refuses to run as root. */
  private record Account(String name, List<String> prefix) {

    static Account forServer(Path ours) throws IOException {
      if (!"root".equals(Files.getOwner(ours).getName())) {
        return new Account("", List.of());
      }
      List<String> users =
          Files.readAllLines(Path.of("/etc/passwd")).stream()
              .map(line -> line.replaceFirst(":.*", ""))
              .toList();
      String name = users.contains("postgres") ? "postgres" : "nobody";
      return new Account(name, List.of("runuser", "-u", name, "--"));
    }

    void own(Path file) throws IOException {
      if (!name.isEmpty()) {
        Files.setOwner(
            file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name));
      }
    }

    List<String> command(String... words) {
      List<String> command = new ArrayList<>(prefix);
      command.addAll(List.of(words));
      return command;
    }
  }
}
