package org.sordino.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import org.sordino.run.InvalidInputException;

/**
 * Downloads a file with a known checksum. The data is collected in {@code <file>.part}, from which
 * an interrupted download resumes. It is renamed to the name of the file only after its checksum
 * has been verified.
 *
 * @param url URL of the file
 * @param md5 MD5 checksum of the file, as published by its owners
 */
record Download(URI url, String md5) {

  private static final int BUFFER = 1 << 16;

  /** Downloads the file unless it already exists with the right checksum. */
  void to(Path file, boolean showProgress) {
    if (Files.exists(file) && digest(file).equals(md5)) {
      return;
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.createDirectories(part.toAbsolutePath().getParent());
      fetch(part, showProgress);
      String got = digest(part);
      if (!got.equals(md5)) {
        Files.delete(part);
        throw new InvalidInputException(
            ("%s must have the MD5 checksum %s, got %s; the file was deleted. Try again or use"
                    + " another --from")
                .formatted(url, md5, got));
      }
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new InvalidInputException(
          url + " cannot be downloaded (" + e + "); run the command again to resume the download");
    }
  }

  private void fetch(Path part, boolean showProgress) throws IOException {
    long have = Files.exists(part) ? Files.size(part) : 0;
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(Duration.ofMinutes(1));
    if (have > 0) {
      request.header("Range", "bytes=" + have + "-");
    }
    HttpResponse<InputStream> response = send(request.build());
    int status = response.statusCode();
    if (status == 416) {
      return; // the download is complete
    }
    if (status != 200 && status != 206) {
      throw new IOException("the server returned status " + status);
    }
    boolean resumed = status == 206;
    long total = response.headers().firstValueAsLong("Content-Length").orElse(-1);
    try (InputStream in = response.body();
        OutputStream out =
            Files.newOutputStream(
                part,
                StandardOpenOption.CREATE,
                resumed ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING);
        TerminalProgress progress =
            TerminalProgress.of(String.valueOf(part.getFileName()), total, showProgress)) {
      byte[] buffer = new byte[BUFFER];
      long done = 0;
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
        done += count;
        progress.stepTo(done);
      }
    }
  }

  private static HttpResponse<InputStream> send(HttpRequest request) throws IOException {
    try {
      return HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NORMAL)
          .connectTimeout(Duration.ofSeconds(20))
          .build()
          .send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static String digest(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      byte[] buffer = new byte[BUFFER];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not provide MD5", e);
    }
  }
}
