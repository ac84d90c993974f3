package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.stock.ServerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One Hazelcast member, alone in its cluster. For one thread. */
final class HazelcastMember implements AutoCloseable {
  static final String CLUSTER = "bench";

  private final ServerProgram program;
  private final String address;

  private HazelcastMember(ServerProgram program, String address) {
    this.program = program;
    this.address = address;
  }

  /**
   * The agent of a member.
   *
   * @param maps that it watches
   */
  record WithAgent(Path jar, String kafka, String maps, int statusPort) {}

  /** One without Palinode; see {@link #start(Path, Path, WithAgent)}. */
  static HazelcastMember start(Path hazelcast, Path home) throws IOException, InterruptedException {
    return start(hazelcast, home, ServerProgram.freePorts(1).get(0), List.of());
  }

  /**
   * Returns when it serves. Throws {@link IOException} with the end of its log if it does not.
   *
   * @param hazelcast its jar
   * @param home an empty folder
   */
  static HazelcastMember start(Path hazelcast, Path home, WithAgent agent)
      throws IOException, InterruptedException {
    int port = ServerProgram.freePorts(1).get(0);
    Path config = Files.createDirectories(home).resolve("agent.yaml");
    Files.writeString(
        config,
        """
        kafka: %s
        data: %s
        members: 127.0.0.1:%d
        maps: %s
        windowLogBytes: 256MiB
        statusPort: %d
        """
            .formatted(agent.kafka, home.resolve("palinode"), port, agent.maps, agent.statusPort));
    return start(hazelcast, home, port, List.of("-javaagent:" + agent.jar + "=" + config));
  }

  private static HazelcastMember start(Path hazelcast, Path home, int port, List<String> options)
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
        """
            .formatted(CLUSTER, port));
    List<String> java = new ArrayList<>(options);
    java.addAll(List.of("-Xms1g", "-Xmx1g", "-XX:MaxDirectMemorySize=512m"));
    java.add("-Dhazelcast.config=" + config);
    java.addAll(List.of("-cp", hazelcast.toString()));
    java.add("com.hazelcast.core.server.HazelcastMemberStarter");
    ServerProgram program = ServerProgram.start(home, java);
    program.await("serve", () -> ServerProgram.isOpen(port));
    return new HazelcastMember(program, "127.0.0.1:" + port);
  }

  /** {@code host:port}, for clients. */
  String address() {
    return address;
  }

  /** See {@link ServerProgram#await}. */
  void await(String what, ServerProgram.Condition ready) throws IOException, InterruptedException {
    program.await(what, ready);
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
