package io.palinode.chaos;

import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

  /** Wide enough for clocks that differ visibly. */
  private static final int EPSILON_MILLIS = 100;

  /** Two nodes then differ by less than ε, also with the machine's own jumps. */
  static final int CLOCK_OFFSET_MICROS_MAX = 450 * EPSILON_MILLIS;

  private final List<PartProcess> parts = new ArrayList<>();
  private final List<String> nodeAddresses;
  private final String api;
  private final Path log;

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
    this.log = data.resolve("chaos.log");
    String folder = data.toString();
    add(data, "kafka", "--data", folder, "--port", Integer.toString(portBase + KAFKA_OFFSET));
    for (String one : List.of("orchestrator a", "orchestrator b")) {
      List<String> arguments =
          List.of("orchestrator", "--kafka", kafka, "--nodes", count, "--port", apiPort);
      Path log = data.resolve(one.replace(' ', '-') + ".log");
      parts.add(new PartProcess(one, arguments, log, null));
    }
    String epsilon = EPSILON_MILLIS + "ms";
    add(
        data,
        "detection",
        "--kafka",
        kafka,
        "--nodes",
        count,
        "--data",
        folder,
        "--epsilon",
        epsilon);
    for (int i = 0; i < nodes; i++) {
      Path disk = Files.createDirectory(data.resolve("disk-" + i));
      List<String> arguments =
          List.of(
              "node",
              "--id",
              Integer.toString(i),
              "--cluster",
              clusterFile.toString(),
              "--kafka",
              kafka,
              "--data",
              disk.toString(),
              "--epsilon",
              epsilon);
      parts.add(
          new PartProcess(
              "node " + i, arguments, data.resolve("node-" + i + ".log"), Volume.mount(disk)));
    }
  }

  private void add(Path data, String part, String... options) {
    List<String> arguments = new ArrayList<>(List.of(part));
    arguments.addAll(List.of(options));
    parts.add(new PartProcess(part, arguments, data.resolve(part + ".log"), null));
  }

  private static Node node(int id, int port, int nodes) {
    List<Integer> partitions =
        IntStream.range(0, PARTITIONS_PER_NODE).map(i -> i * nodes + id).boxed().toList();
    return new Node(id, HOST, port, port, port, 0, partitions);
  }

  /** Appends a line to {@code chaos.log}, so that the parts' logs can be read beside it. */
  void log(String line) {
    try {
      Files.writeString(
          log,
          Instant.now() + " " + line + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  /** Kills whatever still runs. The files of nodes whose disks were filled are gone. */
  @Override
  public void close() {
    parts.forEach(PartProcess::kill);
    parts.stream().map(PartProcess::volume).filter(Objects::nonNull).forEach(Volume::close);
  }
}
