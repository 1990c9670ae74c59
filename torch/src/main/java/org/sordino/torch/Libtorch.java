package org.sordino.torch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.global.torch;

/**
 * Loads the native libraries, once per process. Everything in this package that touches a tensor
 * calls {@link #load} first; nothing else does, so that plans and data sets need no native code.
 */
public final class Libtorch {

  /** Jars whose libraries must all lie in the cache before the first of them is opened. */
  private static final List<String> JARS =
      List.of("javacpp", "openblas", "pytorch", "opencl", "dnnl");

  /** Two to a heap; address space only, until tensors use it. */
  private static final int KEPT_BLOCKS = 8;

  private static boolean loaded;

  private Libtorch() {}

  /** As {@link #load(Consumer)}; speaks on the standard error stream. */
  public static void load() {
    load(System.err::println);
  }

  /**
   * Loads libtorch unless that is done.
   *
   * @param progress gets a line where the user has to wait: the very first start unpacks 550 MB
   * @throws UncheckedIOException if the cache directory cannot be written
   */
  public static synchronized void load(Consumer<String> progress) {
    if (loaded) {
      return;
    }
    // Before any class of JavaCPP: its own check of the process's memory costs more than a small
    // tensor operation, and its limit knows nothing of what libtorch needs.
    if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
      System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    }
    try {
      unpack(progress);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the native libraries cannot be unpacked; set -Dorg.bytedeco.javacpp.cachedir to a"
              + " directory with 600 MB of room",
          e);
    }
    useOneThread();
    keepMemory();
    loaded = true;
  }

  /** Which native libraries these are: part of what makes a sum repeatable bit for bit. */
  static String version() {
    try (InputStream versions = Libtorch.class.getResourceAsStream("versions.txt")) {
      String text = new String(Objects.requireNonNull(versions).readAllBytes(), UTF_8);
      return text.strip() + " " + Loader.getPlatform();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Which instructions it chose for this processor, and whatever its libraries choose theirs by:
   * others round in another order.
   */
  static String processor() {
    load();
    StringBuilder text = new StringBuilder(torch.get_cpu_capability().getString());
    text.append(' ').append(model());
    for (String choice : List.of("OPENBLAS_CORETYPE", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")) {
      String value = System.getenv(choice);
      if (value != null) {
        text.append(' ').append(choice).append('=').append(value);
      }
    }
    return text.toString();
  }

  /** The model of the processor, where the system tells. */
  private static String model() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(line -> line.startsWith("model name")).findFirst().orElse("");
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  /** Runs what a thread of its own does, from beginning to end. */
  static void inThread(Runnable work) {
    useOneThread();
    Pointer[] kept = keepMemory();
    try {
      work.run();
    } finally {
      for (Pointer block : kept) {
        Pointer.free(block);
      }
    }
  }

  /**
   * Makes the C library keep what the tensors of this thread give back. By default glibc maps large
   * blocks afresh each time, and a step spends a third of its time on page faults. It keeps blocks
   * up to the size of the largest that was mapped and freed, at most 32 MB: so map one and free it.
   * And it gives back a heap of 64 MB that is empty: so leave something in each. What is left is
   * address space and a page of memory; it is so large that it fits into no gap of another heap.
   *
   * @return what is left, to be freed when the thread ends
   */
  private static Pointer[] keepMemory() {
    Pointer.free(Pointer.malloc((32L << 20) - (64L << 10)));
    Pointer[] blocks = new Pointer[KEPT_BLOCKS];
    Pointer[] left = new Pointer[KEPT_BLOCKS];
    for (int i = 0; i < KEPT_BLOCKS; i++) {
      blocks[i] = Pointer.malloc(28L << 20);
      left[i] = Pointer.malloc(3L << 20); // a heap has room for two of each and less than a third
    }
    for (Pointer block : blocks) {
      Pointer.free(block);
    }
    return left;
  }

  /** libtorch's own threads off, for the calling thread; records are spread over Java threads. */
  static void useOneThread() {
    torch.set_num_threads(1);
    openblas_nolapack.blas_set_num_threads(1);
  }

  /**
   * Unpacks every library before any is opened. JavaCPP on its own unpacks and opens one after the
   * other, and where another libtorch is on the system's path the first one links against that and
   * the process dies. Only one process at a time may write into the cache.
   */
  private static void unpack(Consumer<String> progress) throws IOException {
    File cache = Loader.getCacheDir();
    Path marker =
        cache.toPath().resolve("sordino-" + version().replaceAll("[^\\w.-]", "-") + ".unpacked");
    Path lock = cache.toPath().resolve("sordino.lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      boolean first = !Files.exists(marker);
      if (first) {
        progress.accept("Unpacking libtorch into " + cache + " (550 MB, first start only) ...");
      }
      for (String jar : JARS) {
        Loader.cacheResources("/org/bytedeco/" + jar + "/" + Loader.getPlatform() + "/");
      }
      // Opened under the lock as well: opening writes links into the cache.
      Loader.load(openblas_nolapack.class);
      Loader.load(torch.class);
      if (Tensors.X86) {
        Loader.load(dnnl.class); // after libtorch, whose OpenMP it then shares
      }
      if (first && held.isValid()) {
        Files.write(marker, new byte[0]);
      }
    }
  }
}
