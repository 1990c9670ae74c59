package org.sordino.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.TransportConf;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;

/**
 * Streams parameters from the driver to tasks, and their sums back. Spark's broadcasts and task
 * results copy megabytes about ten times; streams of Spark's network library are written and read
 * once. Authentication and encryption are those of Spark ({@code spark.authenticate}, {@code
 * spark.network.crypto.enabled}).
 *
 * <p>Spark still determines when a step is complete, and a task returns only after its sums have
 * arrived completely. A task that runs twice delivers the same sums twice; the first delivery
 * counts.
 */
final class Exchange implements AutoCloseable {

  /** The minimum number of parameters for which a separate connection is worthwhile. */
  static final int MANY = 1 << 14;

  /** The setting for the port in the driver, or the first port to try; 0 for any. */
  private static final String PORT = "spark.sordino.port";

  /** The setting that enables or disables streams. */
  private static final String STREAMS = "spark.sordino.streams";

  /** Receives the sums of partitions. */
  interface Sink {
    /**
     * Receives the sums of a partition in the form of {@link ArrayBytes}. The buffer is reused
     * afterwards. Several threads call this method, and with speculation the same sums may arrive
     * twice.
     */
    void take(int partition, ByteBuffer sums);
  }

  /** The step in progress. Only its tasks have the token. */
  private record Round(byte[] token, byte[] parameters, Sink sink) {

    boolean is(byte[] shown) {
      return MessageDigest.isEqual(shown, token);
    }
  }

  private final int bytes; // size of the sums of a partition
  private final String host;
  private final TransportContext transport;
  private final TransportServer server;
  private final Queue<ByteBuffer> spare = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Round round;

  Exchange(SparkContext context, int dimension) {
    bytes = Math.multiplyExact(dimension, Long.BYTES);
    host = context.conf().get("spark.driver.host");
    TransportConf settings = StreamRoute.settings(context.conf());
    transport = new TransportContext(settings, new Handler());
    try {
      server = listen(context.conf(), settings);
    } catch (RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  private TransportServer listen(SparkConf conf, TransportConf settings) {
    SecurityManager security = SparkEnv.get().securityManager();
    List<TransportServerBootstrap> checks =
        security.isAuthenticationEnabled()
            ? List.of(new AuthServerBootstrap(settings, security))
            : List.of();
    String address = conf.get("spark.driver.bindAddress", host);
    int first = conf.getInt(PORT, 0);
    int last = first == 0 ? 0 : first + conf.getInt("spark.port.maxRetries", 16);
    for (int port = first; ; port++) {
      try {
        return transport.createServer(address, port, checks);
      } catch (Exception e) { // Netty throws undeclared checked exceptions
        if (port == last) {
          throw new IllegalStateException(
              "the driver cannot listen at " + address + ":" + port + "; set " + PORT, e);
        }
      }
    }
  }

  /**
   * Creates an exchange, or returns null if the executors are in this process, if there are few
   * parameters, or if the sums of all partitions might exceed the driver's memory. With {@code
   * spark.ssl.rpc.enabled}, all data stays on Spark's own connections, which this setting covers;
   * {@code spark.sordino.streams} set to false has the same effect.
   */
  static @Nullable Exchange of(SparkContext context, int dimension, int partitions) {
    return context.isLocal()
            || context.conf().getBoolean("spark.ssl.rpc.enabled", false)
            || !context.conf().getBoolean(STREAMS, true)
            || !isWorthWhile(dimension, partitions, Runtime.getRuntime().maxMemory())
        ? null
        : new Exchange(context, dimension);
  }

  static boolean isWorthWhile(long dimension, long partitions, long memory) {
    return dimension >= MANY && dimension * Long.BYTES <= memory / 4 / Math.max(1, partitions);
  }

  /**
   * Begins a step, which ends with {@link #end}.
   *
   * @param sink receives the sums
   */
  Route begin(double[] theta, Sink sink) {
    byte[] token = RandomKey.secure().bytes();
    round = new Round(token, ArrayBytes.bytes(theta), sink);
    return new StreamRoute(host, server.getPort(), token, theta.length);
  }

  /** Ends the step. Sums that arrive later are ignored. */
  void end() {
    round = null;
  }

  @Override
  public void close() {
    server.close();
    transport.close();
  }

  /** Handles the requests of tasks. */
  private final class Handler extends RpcHandler {

    private final StreamManager streams =
        new StreamManager() {
          @Override
          public ManagedBuffer openStream(String name) { // callable by any client
            Round now = round;
            if (now == null || !now.is(StreamRoute.token(name))) {
              throw new IllegalStateException("the step is over");
            }
            return new NioManagedBuffer(ByteBuffer.wrap(now.parameters));
          }

          @Override
          public ManagedBuffer getChunk(long stream, int chunk) {
            throw new UnsupportedOperationException("chunks are not supported");
          }
        };

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
      callback.onFailure(new IOException("messages are not supported"));
    }

    @Override
    public StreamManager getStreamManager() {
      return streams;
    }

    @Override
    public StreamCallbackWithID receiveStream(
        TransportClient client, ByteBuffer header, RpcResponseCallback callback) {
      byte[] shown = new byte[StreamRoute.TOKEN_BYTES];
      header.get(shown);
      Round now = round;
      return new Arrival(now == null || !now.is(shown) ? null : now, header.getInt());
    }
  }

  /** Receives the sums of one partition. */
  private final class Arrival implements StreamCallbackWithID {

    private final @Nullable Round step; // null if the step is over or the token is wrong
    private final int partition;
    private final ByteBuffer sums;

    Arrival(@Nullable Round step, int partition) {
      this.step = step;
      this.partition = partition;
      ByteBuffer used = step == null ? null : spare.poll();
      this.sums = used == null ? ByteBuffer.allocateDirect(step == null ? 0 : bytes) : used.clear();
    }

    @Override
    public void onData(String name, ByteBuffer some) {
      if (step != null) {
        sums.put(some);
      } else {
        some.position(some.limit());
      }
    }

    /** Completes the upload; the task is notified when this method returns or throws. */
    @Override
    public void onComplete(String name) throws IOException {
      if (step != null) {
        if (sums.hasRemaining()) {
          throw new IOException("the sums of partition " + partition + " are incomplete");
        }
        step.sink.take(partition, sums.flip());
        spare.add(sums);
      }
    }

    @Override
    public void onFailure(String name, Throwable cause) {
      // The task is notified as well, fails and is retried.
    }

    @Override
    public String getID() {
      return "partition " + partition;
    }
  }
}
