package org.sordino.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A standalone cluster: a master and two workers, each in its own process, on two addresses of this
 * machine. Spark starts speculative copies only on another host.
 */
final class Standalone implements AutoCloseable {

  private final List<Process> processes = new ArrayList<>();
  private final Path home;
  private final int port;

  Standalone(Path home) throws Exception {
    this.home = home;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    start("org.apache.spark.deploy.master.Master", "127.0.0.1", "--port", String.valueOf(port));
    awaitMaster();
    for (String host : List.of("127.0.0.1", "127.0.0.2")) {
      start("org.apache.spark.deploy.worker.Worker", host, "-c", "1", "-m", "768M", master());
    }
  }

  String master() {
    return "spark://127.0.0.1:" + port;
  }

  private void start(String type, String host, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(Sparks.java());
    command.add(command.size() - 2, "-Dspark.testing=1");
    command.add(command.size() - 2, "-Dspark.test.home=" + home);
    command.addAll(List.of(type, "--host", host, "--webui-port", "0"));
    command.addAll(List.of(arguments));
    processes.add(
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  private void awaitMaster() throws Exception {
    for (int attempt = 0; ; attempt++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
        return;
      } catch (IOException e) {
        if (attempt == 300) {
          throw e;
        }
        Thread.sleep(200);
      }
    }
  }

  @Override
  public void close() {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
