package io.palinode.agent;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.weave.ServerVersion;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingTransformer;
import io.palinode.store.hosted.HostedConfig;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry in a server, called by {@link io.palinode.agent.boot.Premain} in the agent's class
 * loader.
 */
public final class Agent {
  private static final int EXIT_REFUSED = 2;
  private static final Logger log = LoggerFactory.getLogger(Agent.class);

  private Agent() {}

  /**
   * Starts the agent before any class of the server is loaded. Throws {@link
   * IllegalArgumentException} if the configuration is wrong or the server unknown.
   *
   * @param argument the path of the configuration
   */
  public static void start(String argument, Instrumentation instrumentation) throws IOException {
    if (argument.isBlank()) {
      throw new IllegalArgumentException(
          "its configuration is needed: -javaagent:voldemort-agent.jar=config.yaml in a server, or =client in an application");
    }
    Path file = Path.of(argument);
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("its configuration cannot be read: " + file);
    }
    HostedConfig config = HostedConfig.parse(argument, Files.readString(file));
    String version = ServerVersion.require(ClassLoader.getSystemClassLoader());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    WatchedServer server = new WatchedServer(config, registry, Agent::endProcess);
    WeavingTransformer transformer = new WeavingTransformer(Weaver.ofServer(), server::notWoven);
    transformer.install(instrumentation);
    Hooks.attend(server);
    if (config.statusPort() > 0) {
      boolean unused =
          StatusServer.start(config.statusPort(), version, transformer::woven, server, registry);
    }
    log.info(
        "agent voldemort={} kafka={} state=ATTACHED",
        version,
        config.joining().kafka().bootstrapServers());
  }

  /**
   * Ends the process in another thread. The calling thread starts the server: its exception alone
   * would leave the server's other threads running.
   */
  private static void endProcess() {
    Thread end = new Thread(() -> System.exit(EXIT_REFUSED), "palinode-exit");
    end.setDaemon(true);
    end.start();
  }
}
