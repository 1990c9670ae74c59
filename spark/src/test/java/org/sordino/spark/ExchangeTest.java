package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;

class ExchangeTest {

  private static final int NUMBERS = 100_003; // several messages, and not a power of two

  private SparkSession session;
  private final List<String> arrived = new ArrayList<>();

  @AfterEach
  void stop() {
    session.stop();
  }

  private Exchange exchange() {
    session = Sparks.local();
    return new Exchange(session.sparkContext(), NUMBERS);
  }

  private void note(int partition, ByteBuffer sums) {
    long[] numbers = new long[NUMBERS];
    ArrayBytes.view(sums).get(numbers);
    synchronized (arrived) {
      arrived.add(partition + ":" + numbers[0] + ":" + numbers[NUMBERS - 1]);
    }
  }

  private static long[] sums(long first, long last) {
    long[] sums = new long[NUMBERS];
    sums[0] = first;
    sums[NUMBERS - 1] = last;
    return sums;
  }

  @Test
  void route_overSeveralSteps_takesParametersAndSumsBitForBit() {
    try (Exchange exchange = exchange()) {
      for (int step = 0; step < 3; step++) {
        double[] theta = new Random(step).doubles(NUMBERS, -1, 1).toArray();
        Route route = exchange.begin(theta, this::note);
        assertThat(route.parameters()).isEqualTo(theta).isSameAs(route.parameters());
        assertThat(route.deliver(step, sums(step, Long.MIN_VALUE)))
            .isEqualTo(StreamRoute.DELIVERED);
        exchange.end();
      }
    }
    assertThat(arrived)
        .containsExactly("0:0:" + Long.MIN_VALUE, "1:1:" + Long.MIN_VALUE, "2:2:" + Long.MIN_VALUE);
  }

  /** A task presumed lost may reappear after its step has ended. */
  @Test
  void deliver_afterTheStepHasEnded_isIgnored() {
    try (Exchange exchange = exchange()) {
      Route old = exchange.begin(new double[NUMBERS], this::note);
      exchange.end();
      old.deliver(0, sums(1, 1));
      Route next = exchange.begin(new double[NUMBERS], this::note);
      old.deliver(0, sums(2, 2));
      assertThatExceptionOfType(IllegalStateException.class).isThrownBy(old::parameters);
      next.deliver(1, sums(3, 3));
    }
    assertThat(arrived).containsExactly("1:3:3");
  }

  @Test
  void route_wrongToken_getsNoParametersAndItsSumsAreIgnored() {
    try (Exchange exchange = exchange()) {
      StreamRoute route = (StreamRoute) exchange.begin(new double[9], this::note);
      StreamRoute intruder = route.withToken(RandomKey.insecure(1).bytes());
      intruder.deliver(0, sums(1, 1));
      assertThatExceptionOfType(IllegalStateException.class).isThrownBy(intruder::parameters);
      assertThat(arrived).isEmpty();
      route.deliver(0, sums(2, 2));
      assertThat(arrived).containsExactly("0:2:2");
    }
  }

  @Test
  void deliver_ofAnotherLength_isRefused() {
    try (Exchange exchange = exchange()) {
      Route route = exchange.begin(new double[9], this::note);
      for (int length : new int[] {NUMBERS - 1, NUMBERS + 1}) {
        assertThatExceptionOfType(IllegalStateException.class)
            .isThrownBy(() -> route.deliver(0, new long[length]))
            .withMessageContaining("a stream to or from the driver failed");
      }
    }
    assertThat(arrived).isEmpty();
  }

  @Test
  void begin_fixedPortInUse_takesTheNext() {
    session = Sparks.local();
    session.sparkContext().conf().set("spark.sordino.port", "29517");
    try (Exchange one = new Exchange(session.sparkContext(), NUMBERS);
        Exchange other = new Exchange(session.sparkContext(), NUMBERS)) {
      StreamRoute first = (StreamRoute) one.begin(new double[] {1}, this::note);
      StreamRoute second = (StreamRoute) other.begin(new double[] {2}, this::note);
      assertThat(first.port()).isBetween(29517, 29517 + 16);
      assertThat(second.port()).isBetween(first.port() + 1, 29517 + 16);
      assertThat(second.parameters()).containsExactly(2);
    }
  }

  @Test
  void isWorthWhile_onlyForManyNumbersThatFitIntoMemory() {
    session = Sparks.local();
    assertThat(Exchange.isWorthWhile(1_000_000, 2, 1L << 30)).isTrue();
    assertThat(Exchange.isWorthWhile(1_000, 2, 1L << 30)).isFalse();
    assertThat(Exchange.isWorthWhile(1_000_000, 400, 1L << 30)).isFalse();
    assertThat(Exchange.isWorthWhile(1_000_000, 0, 1L << 30)).isTrue();
    assertThat(Exchange.of(session.sparkContext(), 1_000_000, 2)).isNull();
  }

  /** Spark's settings of authentication and encryption also apply to streams. */
  @Test
  @Tag("slow")
  void train_withAuthenticationAndEncryption_equalsOneMachineAndRefusesOthers() throws Exception {
    SparkConf settings =
        Sparks.cluster(2)
            .set("spark.authenticate", "true")
            .set("spark.authenticate.secret", "only for this test")
            .set("spark.network.crypto.enabled", "true")
            .set("spark.network.crypto.saslFallback", "false"); // the fallback might not encrypt
    session = Sparks.start(settings);
    JavaSparkContext context = new JavaSparkContext(session.sparkContext());
    LinearModel model = LinearModel.regression(20_000);
    Examples table = Tables.random(60, model.inputs(), 2);
    TrainingPlan plan = Tables.plan(model, 60, 3);
    double[] alone =
        Trainer.of(plan, LinearEngine.of(model, table)).insecureSeed(5).run().weights();
    try (SparkEngine engine =
        SparkEngine.of(EngineFactory.linear(model), Tables.spread(context, table, 3))) {
      assertThat(Trainer.of(plan, engine).insecureSeed(5).run().weights()).isEqualTo(alone);
    }
    try (Exchange exchange = new Exchange(session.sparkContext(), 9)) {
      StreamRoute route = (StreamRoute) exchange.begin(new double[9], this::note);
      assertThat(route.parameters()).hasSize(9);
      assertThat(route.client().getChannel().pipeline().names())
          .anyMatch(name -> name.toLowerCase(Locale.ROOT).contains("encryption"));
      assertThat(uploadsUnproven(route, settings)).isFalse();
    }
    assertThat(arrived).isEmpty();
  }

  /** Returns whether a client with the token but without Spark's secret can upload sums. */
  private static boolean uploadsUnproven(StreamRoute route, SparkConf settings) throws Exception {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    try (TransportContext transport =
            new TransportContext(StreamRoute.settings(settings), new NoOpRpcHandler());
        TransportClientFactory factory = transport.createClientFactory();
        TransportClient client = factory.createClient(route.host(), route.port())) {
      ByteBuffer header = route.header(0);
      client.uploadStream(
          new NioManagedBuffer(header),
          new NioManagedBuffer(ByteBuffer.allocate(72)),
          new RpcResponseCallback() {
            @Override
            public void onSuccess(ByteBuffer answer) {
              done.complete(true);
            }

            @Override
            public void onFailure(Throwable cause) {
              done.complete(false);
            }
          });
      return done.get(30, TimeUnit.SECONDS);
    }
  }
}
