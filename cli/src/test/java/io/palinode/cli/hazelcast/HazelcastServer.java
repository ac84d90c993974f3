package io.palinode.cli.hazelcast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.hazelcast.core.HazelcastInstance;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A stock Hazelcast member in its own process, with the agent. */
final class HazelcastServer implements AutoCloseable {
  private static final Path AGENT = Path.of("../hazelcast-agent/target/hazelcast-agent.jar");
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration START_MAX = Duration.ofSeconds(60);
  private static final int STOP_SECONDS_MAX = 30;

  private final List<Integer> ports;
  private final int node;
  private final Path folder;
  private final int statusPort;
  private @Nullable Process process;

  /**
   * @param ports one for each member, in the order of Palinode's node numbers
   */
  HazelcastServer(List<Integer> ports, int node, Path folder, String kafka, int statusPort)
      throws IOException {
    this.ports = ports;
    this.node = node;
    this.folder = folder;
    this.statusPort = statusPort;
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("hazelcast.yaml"), hazelcastYaml());
    Files.writeString(folder.resolve("agent.yaml"), agentYaml(kafka));
  }

  private String members() {
    return String.join(", ", ports.stream().map(port -> "127.0.0.1:" + port).toList());
  }

  private String hazelcastYaml() {
    return """
    hazelcast:
      cluster-name: palinode-%1$d
      properties:
        hazelcast.partition.count: 31
        hazelcast.phone.home.enabled: false
        hazelcast.internal.map.expiration.task.period.seconds: 3600
        hazelcast.wait.seconds.before.join: 0
        hazelcast.socket.bind.any: false
        hazelcast.heartbeat.interval.seconds: 1
      network:
        port: {port: %2$d, auto-increment: false}
        interfaces: {enabled: true, interfaces: [127.0.0.1]}
        join:
          auto-detection: {enabled: false}
          multicast: {enabled: false}
          tcp-ip: {enabled: true, member-list: [%3$s]}
    """
        .formatted(ports.get(0), ports.get(node), members().replaceAll("([^ ,]+)", "\"$1\""));
  }

  private String agentYaml(String kafka) {
    return """
    kafka: %s
    data: %s
    members: %s
    windowLogBytes: 64MiB
    statusPort: %d
    """
        .formatted(kafka, folder.resolve("palinode"), members(), statusPort);
  }

  /** Starts it, also after {@link #kill}. Returns before it serves. */
  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-Dhazelcast.config=" + folder.resolve("hazelcast.yaml"),
                "-javaagent:" + AGENT.toAbsolutePath() + "=" + folder.resolve("agent.yaml"),
                "-cp",
                jarOf(HazelcastInstance.class).toString(),
                "com.hazelcast.core.server.HazelcastMemberStarter")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve("hazelcast.log").toFile()))
            .start();
  }

  private static Path jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Process running() {
    Process now = process;
    if (now == null) {
      throw new IllegalStateException("not started");
    }
    return now;
  }

  String log() throws IOException {
    return Files.readString(folder.resolve("hazelcast.log"));
  }

  /** What a page of the agent shows; null if it does not answer. */
  @Nullable JsonNode page(String path) {
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:%d/%s".formatted(statusPort, path)))
                      .timeout(ANSWER_MAX)
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException notYet) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  boolean isCovered() {
    JsonNode status = page("status");
    return status != null && status.path("covered").asBoolean();
  }

  int statusPort() {
    return statusPort;
  }

  static Duration startMax() {
    return START_MAX;
  }

  /** Ends it at once, as {@code kill -9} does. */
  void kill() throws InterruptedException {
    int unused = running().destroyForcibly().waitFor();
  }

  /** Ends it in order. */
  void stop() throws InterruptedException {
    running().destroy();
    if (!running().waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
      kill();
    }
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
