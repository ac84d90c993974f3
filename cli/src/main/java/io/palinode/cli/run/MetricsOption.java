package io.palinode.cli.run;

import io.javalin.Javalin;
import io.javalin.util.JavalinException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.terminal.Refusal;
import picocli.CommandLine.Option;

/** Where a part's meters can be scraped; a picocli mixin. */
final class MetricsOption {
  private static final String HOST = "127.0.0.1";

  @Option(
      names = "--metrics-port",
      defaultValue = "0",
      paramLabel = "P",
      description = "Port that serves /metrics for Prometheus (default: none).")
  private int port;

  /** Ends the serving. */
  interface Served extends AutoCloseable {
    @Override
    void close();
  }

  /** Serves them until that is closed. Throws {@link Refusal} when the port is not to be had. */
  Served serve(PrometheusMeterRegistry registry) {
    if (port == 0) {
      return () -> {};
    }
    Javalin server =
        Javalin.create(config -> config.showJavalinBanner = false)
            .get(
                "/metrics",
                ctx -> ctx.contentType("text/plain; version=0.0.4").result(registry.scrape()));
    try {
      server.start(HOST, port);
    } catch (JavalinException e) {
      throw new Refusal("--metrics-port=%d: %s".formatted(port, e.getMessage()), e);
    }
    return server::stop;
  }
}
