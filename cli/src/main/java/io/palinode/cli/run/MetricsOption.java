package io.palinode.cli.run;

import io.javalin.Javalin;
import io.javalin.util.JavalinException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.launcher.ProcessMeters;
import io.palinode.orchestrator.rest.RequestGuard;
import io.palinode.orchestrator.rest.RestSettings;
import io.palinode.orchestrator.rest.access.Access;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.problem.Problem;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.terminal.Refusal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a part's meters can be scraped; a picocli mixin. */
final class MetricsOption {
  @Option(
      names = "--metrics-port",
      defaultValue = "0",
      paramLabel = "P",
      description = "Port that serves /metrics for Prometheus (default: none).")
  private int port;

  @Option(
      names = "--metrics-host",
      defaultValue = RestSettings.LOOPBACK,
      paramLabel = "ADDRESS",
      description =
          "Address that serves them (default: ${DEFAULT-VALUE}). Others than this machine's"
              + " loopback need --tls-certificate and --users.")
  private String host = "";

  /** Ends the serving. */
  interface Served extends AutoCloseable {
    @Override
    void close();
  }

  /** What other machines may do with them without proof, in one sentence; null: nothing. */
  @Nullable String open(AccessOptions options) {
    return port == 0
        ? null
        : options.http("--metrics-host", host, port).access().openTo("/metrics", host);
  }

  /** Serves them until that is closed. Throws {@link Refusal} when the port is not to be had. */
  Served serve(PrometheusMeterRegistry registry, AccessOptions options) {
    RestSettings settings = options.http("--metrics-host", host, port);
    if (port == 0) {
      return () -> {};
    }
    Access access = new Access(settings.access());
    Javalin server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              access.configure(config, host, port);
              config
                  .routes
                  .before(new RequestGuard(settings)::checkSite)
                  .beforeMatched(access::check)
                  .get(
                      "/metrics",
                      ctx -> ctx.contentType("text/plain; version=0.0.4").result(registry.scrape()),
                      Role.VIEWER)
                  .exception(
                      ProblemException.class,
                      (e, ctx) -> Problem.write(ctx, e.code(), e.getMessage()));
            });
    try {
      server.start(host, port);
    } catch (JavalinException e) {
      throw new Refusal("--metrics-port=%d: %s".formatted(port, e.getMessage()), e);
    }
    ProcessMeters process = ProcessMeters.of(registry);
    return () -> {
      server.stop();
      process.close();
      access.close();
    };
  }
}
