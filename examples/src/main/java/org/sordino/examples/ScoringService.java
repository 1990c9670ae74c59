package org.sordino.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import org.sordino.json.Json;
import org.sordino.run.Model;
import org.sordino.run.Prediction;

/** An HTTP service that scores JSON records. Arguments: a run directory and a port. */
public final class ScoringService {

  private ScoringService() {}

  public static void main(String[] args) throws IOException {
    start(Model.load(Path.of(args[0])), Integer.parseInt(args[1]));
  }

  /** Serves a model on the loopback interface until the server is stopped. */
  public static HttpServer start(Model model, int port) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/score", exchange -> answer(model, exchange));
    server.setExecutor(Executors.newFixedThreadPool(4)); // all threads share one model
    server.start();
    return server;
  }

  private static void answer(Model model, HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int status = 200;
      Map<String, Object> answer = new LinkedHashMap<>();
      try {
        Prediction prediction = model.predict(Json.readObject(body));
        answer.put("label", prediction.label());
        prediction.classes().forEach(name -> answer.put(name, prediction.probability(name)));
      } catch (RuntimeException e) { // not JSON, or not a record of this model
        status = 400;
        answer.put("error", "send a JSON object with the columns of the training data");
      }
      byte[] bytes = Json.write(answer).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
