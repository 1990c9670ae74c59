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
 * Where tasks fetch many parameters and leave their sums, in the driver. Broadcasts and answers of
 * tasks copy megabytes some ten times over; here they are streams of Spark's own network library,
 * which are written and read once. Authentication and encryption are those of Spark ({@code
 * spark.authenticate}, {@code spark.network.crypto.enabled}).
 *
 * <p>Spark still decides when a step is done, and a task answers only when its sums have arrived
 * whole. A task that runs twice leaves the same sums twice, and those that come first count.
 */
final class Exchange implements AutoCloseable {

  /** From so many parameters on it is worth a connection. */
  static final int MANY = 1 << 14;

  /** The port in the driver, or the first to try; 0 for any. */
  private static final String PORT = "spark.sordino.port";

  /** Whether to stream at all. */
  private static final String STREAMS = "spark.sordino.streams";

  /** Takes the sums of partitions. */
  interface Sink {
    /**
     * Gets the sums of a partition, in the form of {@link ArrayBytes}; the memory is used again.
     * Several threads call it, and speculation may bring some sums twice.
     */
    void take(int partition, ByteBuffer sums);
  }

  /** A step under way. Whoever knows its token is one of its tasks. */
  private record Round(byte[] token, byte[] parameters, Sink sink) {

    boolean is(byte[] shown) {
      return MessageDigest.isEqual(shown, token);
    }
  }

  private final int bytes; // of a sum
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
      } catch (Exception e) { // of netty's, which does not declare what it throws
        if (port == last) {
          throw new IllegalStateException(
              "the driver cannot listen at " + address + ":" + port + "; set " + PORT, e);
        }
      }
    }
  }

  /**
   * An exchange, or null where there is nothing to gain from one: executors in this process, few
   * numbers, or so many that they might not find room in the driver if all partitions leave theirs
   * at once. With {@code spark.ssl.rpc.enabled} everything stays on the ways of Spark that this
   * setting speaks of; {@code spark.sordino.streams} asks for the same.
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
   * Begins a step; it ends with {@link #end}.
   *
   * @param sink gets the sums
   */
  Route begin(double[] theta, Sink sink) {
    byte[] token = RandomKey.secure().bytes();
    round = new Round(token, ArrayBytes.bytes(theta), sink);
    return new StreamRoute(host, server.getPort(), token, theta.length);
  }

  /** Whatever still arrives for the step is ignored. */
  void end() {
    round = null;
  }

  @Override
  public void close() {
    server.close();
    transport.close();
  }

  /** Answers the tasks. */
  private final class Handler extends RpcHandler {

    private final StreamManager streams =
        new StreamManager() {
          @Override
          public ManagedBuffer openStream(String name) { // Spark lets anybody call this
            Round now = round;
            if (now == null || !now.is(StreamRoute.token(name))) {
              throw new IllegalStateException("the step is over");
            }
            return new NioManagedBuffer(ByteBuffer.wrap(now.parameters));
          }

          @Override
          public ManagedBuffer getChunk(long stream, int chunk) {
            throw new UnsupportedOperationException("there are no chunks here");
          }
        };

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
      callback.onFailure(new IOException("there is nothing to ask here"));
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

  /** The sums of one partition on their way in. */
  private final class Arrival implements StreamCallbackWithID {

    private final @Nullable Round step; // null if it is over, or the sums are a stranger's
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

    /** The task hears of it when this returns, or throws. */
    @Override
    public void onComplete(String name) throws IOException {
      if (step != null) {
        if (sums.hasRemaining()) {
          throw new IOException("the sums of partition " + partition + " have not arrived whole");
        }
        step.sink.take(partition, sums.flip());
        spare.add(sums);
      }
    }

    @Override
    public void onFailure(String name, Throwable cause) {
      // The task hears of it too, fails, and is run again.
    }

    @Override
    public String getID() {
      return "partition " + partition;
    }
  }
}
