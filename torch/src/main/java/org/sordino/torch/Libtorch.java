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
 * Loads the native libraries, once per process. All code in this package that uses tensors calls
 * {@link #load} first. Other code does not, so plans and data sets require no native code.
 */
public final class Libtorch {

  /** Jars whose libraries must all be in the cache before the first library is opened. */
  private static final List<String> JARS =
      List.of("javacpp", "openblas", "pytorch", "opencl", "dnnl");

  /** Blocks kept per thread, two per heap. They take only address space until tensors use them. */
  private static final int KEPT_BLOCKS = 8;

  private static boolean loaded;

  private Libtorch() {}

  /** Loads libtorch like {@link #load(Consumer)}, with progress on the standard error stream. */
  public static void load() {
    load(System.err::println);
  }

  /**
   * Loads libtorch unless it is already loaded.
   *
   * @param progress receives a line if the user has to wait: the very first start unpacks 550 MB
   * @throws UncheckedIOException if the cache directory cannot be written
   */
  public static synchronized void load(Consumer<String> progress) {
    if (loaded) {
      return;
    }
    // Must be set before any JavaCPP class is loaded. JavaCPP's check of the process memory costs
    // more than a small tensor operation, and its limit does not account for libtorch's memory.
    if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
      System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    }
    try {
      unpack(progress);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the native libraries cannot be unpacked; set -Dorg.bytedeco.javacpp.cachedir to a"
              + " directory with 600 MB of free space",
          e);
    }
    useOneThread();
    keepMemory();
    loaded = true;
  }

  /**
   * Returns the versions of the native libraries. A sum is repeatable bit for bit only with the
   * same versions.
   */
  static String version() {
    try (InputStream versions = Libtorch.class.getResourceAsStream("versions.txt")) {
      String text = new String(Objects.requireNonNull(versions).readAllBytes(), UTF_8);
      return text.strip() + " " + Loader.getPlatform();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the instruction set that libtorch uses on this processor, and everything on which its
   * libraries base their own choice. Other instruction sets round in a different order.
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

  /** Returns the processor model, or an empty string if it is not available. */
  private static String model() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(line -> line.startsWith("model name")).findFirst().orElse("");
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  /** Runs the entire work of a worker thread. */
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
   * Makes the C library keep the memory that this thread's tensors free. By default, glibc maps
   * large blocks again on every allocation, and a step spends a third of its time on page faults.
   * glibc keeps blocks up to the size of the largest block that was mapped and freed, at most 32
   * MB; this method therefore maps such a block and frees it. glibc also returns heaps of 64 MB
   * that are empty; this method therefore leaves a block in each. The remaining blocks take address
   * space and a page of memory. They are too large for any gap in another heap.
   *
   * @return remaining blocks, to be freed when the thread ends
   */
  private static Pointer[] keepMemory() {
    Pointer.free(Pointer.malloc((32L << 20) - (64L << 10)));
    Pointer[] blocks = new Pointer[KEPT_BLOCKS];
    Pointer[] left = new Pointer[KEPT_BLOCKS];
    for (int i = 0; i < KEPT_BLOCKS; i++) {
      blocks[i] = Pointer.malloc(28L << 20);
      left[i] = Pointer.malloc(3L << 20); // a heap fits two of each, but not a third
    }
    for (Pointer block : blocks) {
      Pointer.free(block);
    }
    return left;
  }

  /**
   * Turns off the threads of libtorch and OpenBLAS for the calling thread. Records are distributed
   * over Java threads instead.
   */
  static void useOneThread() {
    torch.set_num_threads(1);
    openblas_nolapack.blas_set_num_threads(1);
  }

  /**
   * Unpacks all libraries before any of them is opened. By default, JavaCPP unpacks and opens them
   * one by one. If another libtorch is on the system path, the first library then links against it
   * and the process crashes. Only one process at a time may write to the cache.
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
      // Also under the lock, because opening a library creates links in the cache.
      Loader.load(openblas_nolapack.class);
      Loader.load(torch.class);
      if (Tensors.X86) {
        Loader.load(dnnl.class); // after libtorch, so that it shares its OpenMP
      }
      if (first && held.isValid()) {
        Files.write(marker, new byte[0]);
      }
    }
  }
}
