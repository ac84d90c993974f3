package io.palinode.chaos;

import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A cluster of real processes on this machine: Kafka, detection, two orchestrators of which one is
 * active, and the nodes. For one thread.
 */
public final class ChaosCluster implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int PARTITIONS_PER_NODE = 4;
  private static final int API_OFFSET = 100;
  private static final int KAFKA_OFFSET = 101;

  private final List<PartProcess> parts = new ArrayList<>();
  private final List<String> nodeAddresses;
  private final String api;

  /** Starts nothing yet. Node i listens on {@code portBase + i}. */
  public ChaosCluster(Path data, int nodes, int portBase) throws IOException {
    Cluster layout =
        new Cluster(
            "chaos",
            List.of(),
            IntStream.range(0, nodes).mapToObj(i -> node(i, portBase + i, nodes)).toList());
    Path clusterFile = Files.writeString(data.resolve("cluster.xml"), layout.toXml());
    String kafka = HOST + ":" + (portBase + KAFKA_OFFSET);
    String count = Integer.toString(nodes);
    String apiPort = Integer.toString(portBase + API_OFFSET);
    this.nodeAddresses =
        IntStream.range(0, nodes).mapToObj(i -> HOST + ":" + (portBase + i)).toList();
    this.api = "http://" + HOST + ":" + apiPort;
    String folder = data.toString();
    add(data, "kafka", "--data", folder, "--port", Integer.toString(portBase + KAFKA_OFFSET));
    for (String one : List.of("orchestrator a", "orchestrator b")) {
      List<String> arguments =
          List.of("orchestrator", "--kafka", kafka, "--nodes", count, "--port", apiPort);
      parts.add(new PartProcess(one, arguments, data.resolve(one.replace(' ', '-') + ".log")));
    }
    add(data, "detection", "--kafka", kafka, "--nodes", count, "--data", folder);
    for (int i = 0; i < nodes; i++) {
      String id = Integer.toString(i);
      List<String> arguments =
          List.of(
              "node",
              "--id",
              id,
              "--cluster",
              clusterFile.toString(),
              "--kafka",
              kafka,
              "--data",
              folder);
      parts.add(new PartProcess("node " + i, arguments, data.resolve("node-" + i + ".log")));
    }
  }

  private void add(Path data, String part, String... options) {
    List<String> arguments = new ArrayList<>(List.of(part));
    arguments.addAll(List.of(options));
    parts.add(new PartProcess(part, arguments, data.resolve(part + ".log")));
  }

  private static Node node(int id, int port, int nodes) {
    List<Integer> partitions =
        IntStream.range(0, PARTITIONS_PER_NODE).map(i -> i * nodes + id).boxed().toList();
    return new Node(id, HOST, port, port, port, 0, partitions);
  }

  List<PartProcess> parts() {
    return List.copyOf(parts);
  }

  List<String> nodeAddresses() {
    return nodeAddresses;
  }

  ApiClient api() {
    return ApiClient.at(api);
  }

  /** Kills whatever still runs. */
  @Override
  public void close() {
    parts.forEach(PartProcess::kill);
  }
}
