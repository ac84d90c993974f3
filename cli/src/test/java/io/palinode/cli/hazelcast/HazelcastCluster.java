package io.palinode.cli.hazelcast;

import static org.awaitility.Awaitility.await;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.palinode.cli.PlaneSteps;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Stock Hazelcast members with the agent, a client, Kafka, the job and the orchestrator. */
final class HazelcastCluster implements AutoCloseable {
  static final Duration BOUND = Duration.ofSeconds(60);

  private final List<HazelcastServer> servers = new ArrayList<>();
  private final ControlPlane plane;
  private final PlaneSteps steps;
  private final List<Integer> ports;
  private final HazelcastInstance client;

  HazelcastCluster(Path folder, int nodes) throws IOException {
    plane =
        ControlPlane.start(
            folder.resolve("control"),
            nodes,
            Epsilon.parse("10ms"),
            ControlPlane.Ports.FREE,
            alert -> {});
    steps = new PlaneSteps(plane);
    List<Integer> free = Ports.free(2 * nodes);
    ports = free.subList(0, nodes);
    for (int node = 0; node < nodes; node++) {
      servers.add(
          new HazelcastServer(
              ports,
              node,
              folder.resolve("member-" + node),
              plane.kafkaAddress(),
              free.get(nodes + node)));
      servers.get(node).start();
      await().atMost(HazelcastServer.startMax()).until(servers.get(node)::isCovered);
    }
    ClientConfig config = new ClientConfig();
    config.setClusterName("palinode-" + ports.get(0));
    config.setProperty("hazelcast.logging.type", "none");
    ports.forEach(port -> config.getNetworkConfig().addAddress("127.0.0.1:" + port));
    client = HazelcastClient.newHazelcastClient(config);
    for (int node = 0; node < nodes; node++) {
      steps.awaitJoined(node, 1);
    }
    // The first operation assigns the partitions.
    client.getMap("first").delete("k");
    await()
        .atMost(BOUND)
        .until(() -> client.getPartitionService().getPartition("k").getOwner() != null);
  }

  List<HazelcastServer> servers() {
    return servers;
  }

  ControlPlane plane() {
    return plane;
  }

  PlaneSteps steps() {
    return steps;
  }

  HazelcastInstance client() {
    return client;
  }

  /** A key that this member owns now. */
  String keyOf(int node, String prefix) {
    int port = ports.get(node);
    for (int i = 0; ; i++) {
      String key = prefix + i;
      if (client.getPartitionService().getPartition(key).getOwner().getSocketAddress().getPort()
          == port) {
        return key;
      }
    }
  }

  @Override
  public void close() {
    client.shutdown();
    servers.forEach(HazelcastServer::close);
    plane.close();
  }
}
