package io.palinode.hazelcast;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hazelcast.boot.Hooks;
import io.palinode.hazelcast.member.MemberConfig;
import io.palinode.store.hosted.StatusPages;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entry of {@link io.palinode.hazelcast.boot.Premain} in the agent's class loader. */
public final class Agent {
  private static final Logger log = LoggerFactory.getLogger(Agent.class);

  private Agent() {}

  /**
   * Starts the agent. Throws {@link IllegalArgumentException} if the configuration is wrong,
   * Hazelcast's version unknown, or one of its classes was loaded before.
   *
   * @param argument the path of the configuration
   */
  public static void start(String argument, Instrumentation instrumentation) throws IOException {
    if (argument.isBlank()) {
      throw new IllegalArgumentException(
          "its configuration is needed: -javaagent:hazelcast-agent.jar=agent.yaml");
    }
    Path file = Path.of(argument);
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("its configuration cannot be read: " + file);
    }
    MemberConfig config = MemberConfig.parse(argument, Files.readString(file));
    String version = HazelcastVersion.require(ClassLoader.getSystemClassLoader());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Members members = new Members(config, registry);
    MemberWeaver.install(instrumentation, members::notWoven);
    Hooks.listen(members);
    int port = config.hosted().statusPort();
    if (port > 0) {
      boolean unused = StatusPages.start(port, new MemberPages(version, members).all(), registry);
    }
    log.info(
        "agent hazelcast={} kafka={} state=ATTACHED",
        version,
        config.hosted().joining().kafka().bootstrapServers());
  }
}
