package org.sordino.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.util.ConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Transfers data by streams to and from the {@link Exchange} in the driver. */
final class StreamRoute implements Route {

  private static final long serialVersionUID = 1;

  static final int TOKEN_BYTES = 32;

  /** The result of a task whose sums were delivered. */
  static final byte[] DELIVERED = {1};

  /** A reused buffer; large new arrays in every step would have to be zeroed each time. */
  private static final ThreadLocal<@Nullable ByteBuffer> BUFFER = new ThreadLocal<>();

  private final String host;
  private final int port;
  private final byte[] token;
  private final int parameters;

  StreamRoute(String host, int port, byte[] token, int parameters) {
    this.host = host;
    this.port = port;
    this.token = token.clone();
    this.parameters = parameters;
  }

  /** Returns the same route with a different token, for tests. */
  StreamRoute withToken(byte[] other) {
    return new StreamRoute(host, port, other, parameters);
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  /** Returns the name of the stream with the parameters. */
  private String name() {
    return HexFormat.of().formatHex(token);
  }

  /** Returns the token in the name of a stream; empty if it has none. */
  static byte[] token(String name) {
    try {
      return HexFormat.of().parseHex(name);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  @Override
  public double[] parameters() {
    return Fetched.by(this);
  }

  /** Parameters fetched once for all tasks of a step in an executor; tasks only read them. */
  private record Fetched(byte[] token, double[] theta) {

    private static @Nullable Fetched last;

    static synchronized double[] by(StreamRoute route) {
      if (last == null || !Arrays.equals(last.token, route.token)) {
        last = new Fetched(route.token, route.fetch());
      }
      return last.theta;
    }
  }

  private double[] fetch() {
    ByteBuffer buffer = buffer(parameters);
    exchange((client, done) -> client.stream(name(), new Filling(buffer, done)));
    double[] theta = new double[parameters];
    buffer.flip().asDoubleBuffer().get(theta);
    return theta;
  }

  @Override
  public byte[] deliver(int partition, long[] sums) {
    ByteBuffer buffer = buffer(sums.length);
    buffer.asLongBuffer().put(sums);
    ByteBuffer header = header(partition);
    exchange(
        (client, done) ->
            client.uploadStream(
                new NioManagedBuffer(header), new NioManagedBuffer(buffer), new Arrived(done)));
    return DELIVERED;
  }

  /** Returns the header that precedes the sums. */
  ByteBuffer header(int partition) {
    return ByteBuffer.allocate(token.length + Integer.BYTES).put(token).putInt(partition).flip();
  }

  private static ByteBuffer buffer(int numbers) {
    int bytes = Math.multiplyExact(numbers, Long.BYTES);
    ByteBuffer kept = BUFFER.get();
    if (kept == null || kept.capacity() < bytes) {
      kept = ByteBuffer.allocateDirect(bytes).order(ArrayBytes.ORDER);
      BUFFER.set(kept);
    }
    return kept.clear().limit(bytes);
  }

  /** A transfer that completes a future. */
  private interface Transfer {
    void begin(TransportClient client, CompletableFuture<Boolean> done);
  }

  /** Runs a transfer and waits for it. Spark closes idle connections, so the wait ends. */
  private void exchange(Transfer transfer) {
    try {
      CompletableFuture<Boolean> done = new CompletableFuture<>();
      transfer.begin(client(), done);
      done.get();
    } catch (ExecutionException e) {
      BUFFER.remove(); // the transfer may still write to it
      throw new IllegalStateException("a stream to or from the driver failed", e);
    } catch (InterruptedException e) {
      BUFFER.remove();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Returns the connection to the driver, shared by all tasks of an executor. */
  TransportClient client() throws InterruptedException {
    try {
      return Link.get().factory.createClient(host, port);
    } catch (IOException | RuntimeException e) {
      throw new IllegalStateException(
          "the driver cannot be reached at "
              + host
              + ":"
              + port
              + "; set spark.sordino.port to a port that executors can reach, or"
              + " spark.sordino.streams to false",
          e);
    }
  }

  /** Returns the network settings of Spark. */
  static TransportConf settings(SparkConf conf) {
    ConfigProvider provider =
        new ConfigProvider() {
          @Override
          public String get(String name) {
            return conf.get(name);
          }

          @Override
          public String get(String name, String otherwise) {
            return conf.get(name, otherwise);
          }

          @Override
          public Iterable<Map.Entry<String, String>> getAll() {
            List<Map.Entry<String, String>> all = new ArrayList<>();
            for (Tuple2<String, String> setting : conf.getAll()) {
              all.add(Map.entry(setting._1(), setting._2()));
            }
            return all;
          }
        };
    return new TransportConf("sordino", provider);
  }

  /** The connection of an executor, shared by all its tasks. */
  private record Link(SparkEnv env, TransportContext transport, TransportClientFactory factory) {

    private static @Nullable Link link;

    /**
     * Returns the current connection. If the process has restarted Spark, it has a new environment
     * and needs a new connection.
     */
    static synchronized Link get() {
      SparkEnv env = SparkEnv.get();
      if (link == null || link.env != env) {
        if (link != null) {
          link.factory.close();
          link.transport.close();
        }
        TransportConf settings = StreamRoute.settings(env.conf());
        TransportContext transport = new TransportContext(settings, new NoOpRpcHandler());
        link = new Link(env, transport, transport.createClientFactory(proofs(env, settings)));
      }
      return link;
    }

    private static List<TransportClientBootstrap> proofs(SparkEnv env, TransportConf settings) {
      return env.securityManager().isAuthenticationEnabled()
          ? List.of(new AuthClientBootstrap(settings, env.conf().getAppId(), env.securityManager()))
          : List.of();
    }
  }

  /** Receives parameters. */
  private record Filling(ByteBuffer buffer, CompletableFuture<Boolean> done)
      implements StreamCallback {

    @Override
    public void onData(String name, ByteBuffer some) {
      buffer.put(some);
    }

    @Override
    public void onComplete(String name) {
      if (buffer.hasRemaining()) {
        done.completeExceptionally(new IOException("the parameters are incomplete"));
      } else {
        done.complete(true);
      }
    }

    @Override
    public void onFailure(String name, Throwable cause) {
      done.completeExceptionally(cause);
    }
  }

  /** Waits for the delivery of sums. */
  private record Arrived(CompletableFuture<Boolean> done) implements RpcResponseCallback {

    @Override
    public void onSuccess(ByteBuffer answer) {
      done.complete(true);
    }

    @Override
    public void onFailure(Throwable cause) {
      done.completeExceptionally(cause);
    }
  }
}
