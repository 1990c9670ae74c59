package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.run.InvalidInputException;

/** Downloads from a local server that can close the connection early. */
class DownloadTest {

  @TempDir Path temp;

  private final byte[] content = new byte[300_000];
  private final AtomicInteger bytesToSend = new AtomicInteger(Integer.MAX_VALUE);
  private final AtomicInteger ranges = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void serve() throws Exception {
    new Random(1).nextBytes(content);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/file",
        exchange -> {
          String range = exchange.getRequestHeaders().getFirst("Range");
          int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
          ranges.addAndGet(range == null ? 0 : 1);
          exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
          int to = Math.min(content.length, from + Math.min(bytesToSend.get(), content.length));
          exchange.getResponseBody().write(Arrays.copyOfRange(content, from, to));
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Download download(String md5) {
    URI url = URI.create("http://" + "127.0.0.1:" + server.getAddress().getPort() + "/file");
    return new Download(url, md5);
  }

  private String md5() throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
  }

  @Test
  void file_isDownloadedAndVerified() throws Exception {
    Path file = temp.resolve("a/file");
    download(md5()).to(file, false);
    assertThat(file).hasBinaryContent(content);
    assertThat(temp.resolve("a/file.part")).doesNotExist();
  }

  @Test
  void interruptedDownload_isResumed() throws Exception {
    Path file = temp.resolve("file");
    bytesToSend.set(100_000);
    assertThatThrownBy(() -> download(md5()).to(file, false))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("run the command again");
    assertThat(file).doesNotExist();
    assertThat(Files.size(temp.resolve("file.part"))).isBetween(1L, 100_000L);
    bytesToSend.set(Integer.MAX_VALUE);
    download(md5()).to(file, false);
    assertThat(file).hasBinaryContent(content);
    assertThat(ranges.get()).isEqualTo(1);
  }

  @Test
  void wrongChecksum_isRefusedAndNothingIsKept() {
    Path file = temp.resolve("file");
    assertThatThrownBy(() -> download("0".repeat(32)).to(file, false))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("MD5 checksum");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void existingFile_isNotDownloadedAgain() throws Exception {
    Path file = Files.write(temp.resolve("file"), content);
    server.stop(0);
    download(md5()).to(file, false);
    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void unknownDataSet_isRefused() {
    Console.Outcome outcome = Console.line("data get imagenet");
    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains("mnist, fashion-mnist or cifar-10");
  }
}
