package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.stock.ServerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One Hazelcast member of a cluster on this machine. For one thread. */
final class HazelcastMember implements AutoCloseable {
  /** Of Hazelcast itself. */
  private static final int BUFFERS_MIB = 256;

  private final ServerProgram program;

  private HazelcastMember(ServerProgram program) {
    this.program = program;
  }

  /**
   * Returns when it serves. Throws {@link IOException} with the end of its log if it does not.
   *
   * @param hazelcast its jar
   * @param home an empty folder
   * @param addresses of all members of its cluster
   * @param port its own
   * @param agent null: without Palinode
   * @param statusPort of the agent
   */
  static HazelcastMember start(
      Path hazelcast,
      Path home,
      List<String> addresses,
      int port,
      Size size,
      HazelcastCluster.@Nullable Agent agent,
      int statusPort)
      throws IOException, InterruptedException {
    Path config = Files.createDirectories(home).resolve("hazelcast.yaml");
    Files.writeString(
        config,
        """
        hazelcast:
          cluster-name: %s
          properties:
            hazelcast.phone.home.enabled: false
            hazelcast.wait.seconds.before.join: 0
          network:
            port: {port: %d, auto-increment: false}
            interfaces: {enabled: true, interfaces: [127.0.0.1]}
            join:
              auto-detection: {enabled: false}
              multicast: {enabled: false}
              tcp-ip: {enabled: true, member-list: [%s]}
        """
            .formatted(HazelcastCluster.NAME, port, quoted(addresses)));
    List<String> java = new ArrayList<>();
    if (agent != null) {
      Path agentConfig = agentConfig(home, addresses, size, agent, statusPort);
      java.add("-javaagent:" + agent.jar() + "=" + agentConfig);
    }
    java.add("-Xms%dm".formatted(size.heapMiB()));
    java.add("-Xmx%dm".formatted(size.heapMiB()));
    java.add("-XX:MaxDirectMemorySize=%dm".formatted(size.windowLogMiB() + BUFFERS_MIB));
    java.add("-Dhazelcast.config=" + config);
    java.addAll(List.of("-cp", hazelcast.toString()));
    java.add("com.hazelcast.core.server.HazelcastMemberStarter");
    ServerProgram program = ServerProgram.start(home, java);
    program.await("serve", () -> ServerProgram.isOpen(port));
    return new HazelcastMember(program);
  }

  private static String quoted(List<String> addresses) {
    return addresses.stream().map(each -> '"' + each + '"').collect(Collectors.joining(", "));
  }

  private static Path agentConfig(
      Path home, List<String> addresses, Size size, HazelcastCluster.Agent agent, int statusPort)
      throws IOException {
    return Files.writeString(
        home.resolve("agent.yaml"),
        """
        kafka: %s
        data: %s
        members: %s
        maps: %s
        windowLogAge: 24h
        windowLogBytes: %dMiB
        statusPort: %d
        """
            .formatted(
                agent.kafka(),
                home.resolve("palinode"),
                String.join(", ", addresses),
                agent.maps(),
                size.windowLogMiB(),
                statusPort));
  }

  /** See {@link ServerProgram#await}. */
  void await(String what, ServerProgram.Condition ready) throws IOException, InterruptedException {
    program.await(what, ready);
  }

  /** Returns when its log has {@code part}. */
  void awaitLogged(String part) throws IOException, InterruptedException {
    program.awaitLogged(part);
  }

  /** See {@link ServerProgram#cpuNanos}. */
  long cpuNanos() {
    return program.cpuNanos();
  }

  @Override
  public void close() {
    program.close();
  }
}
