package io.palinode.examples.balances;

import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Runs tellers and an auditor, and prints their books beside what Palinode has reported. */
public final class Main {
  private static final String USAGE = "use: Main HOST:PORT [SECONDS [API]]";
  private static final String API_DEFAULT = "http://127.0.0.1:6766";
  private static final String TIME_DEFAULT = "10";

  private Main() {}

  /** Exits with 1 if the store fails or is rolled back meanwhile, with 2 for other arguments. */
  public static void main(String... args)
      throws InterruptedException, ExecutionException, IOException {
    if (args.length < 1 || args.length > 3) {
      System.err.println(USAGE);
      System.exit(2);
    }
    Duration time = Duration.ofSeconds(Long.parseLong(args.length > 1 ? args[1] : TIME_DEFAULT));
    String api = args.length > 2 ? args[2] : API_DEFAULT;
    Instant start = Instant.now();
    String name = Long.toString(start.toEpochMilli(), Character.MAX_RADIX);
    try {
      Books books = new BalancesRun(List.of(args[0]), name, time, true).run();
      print(books, new Reports(api, start), System.out);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RolledBackException) {
        System.err.println(
            "the store was rolled back, so the logs are no longer true: "
                + "run 'palinode delete predicate no-lost-update', then this program again");
      } else if (e.getCause() instanceof StoreException failed) {
        System.err.println(failed.getMessage());
      } else {
        throw e;
      }
      System.exit(1);
    }
  }

  private static void print(Books books, Reports reports, PrintStream out)
      throws InterruptedException, IOException {
    long wentBack = books.logs().stream().mapToLong(log -> books.wentBack(log).size()).sum();
    out.printf("%d updates by %d tellers%n", books.expected(), BalancesRun.TELLERS);
    out.printf("  all balances together: %d%n", books.total());
    out.printf("  lost: %d%n", books.expected() - books.total());
    out.printf("  reads that went back: %d%n", wentBack);
    out.println("violations that Palinode reported");
    for (String predicate : List.of("lost-update", "stale-read", "non-monotonic-read")) {
      out.printf("  %s: %s%n", predicate, reports.count(predicate));
    }
  }

  /** Asks the orchestrator. */
  private record Reports(String api, Instant since) {
    String count(String predicate) throws IOException, InterruptedException {
      URI uri =
          URI.create(
              "%s/api/v1/violations?limit=1&predicate=%s&since=%s"
                  .formatted(api, predicate, since));
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      return answer
          .headers()
          .firstValue("X-Total-Count")
          .orElseThrow(() -> new IOException(uri + ": " + answer.body()));
    }
  }
}
