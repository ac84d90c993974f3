package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.StoreLoad;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A store server as a separate process, on loopback: a cluster of one node with one store on disk.
 * {@link StockServer} and {@link OurNode} start one. For one thread.
 */
final class ServerProcess implements AutoCloseable {
  static final String STORE = "default";

  private static final int PARTITIONS = 8;
  private static final byte[] PB0 = {'p', 'b', '0'};

  private final Node node;
  private final ServerProgram program;

  private ServerProcess(Node node, ServerProgram program) {
    this.node = node;
    this.program = program;
  }

  /** The folder of {@code home} with cluster.xml and stores.xml. */
  static Path config(Path home) {
    return home.resolve("config");
  }

  /** Writes {@link #config}, the same for all servers except the ports. */
  static Cluster layOut(Path home) throws IOException {
    List<Integer> ports = ServerProgram.freePorts(3);
    Node node =
        new Node(
            0,
            "127.0.0.1",
            ports.get(0),
            ports.get(1),
            ports.get(2),
            0,
            IntStream.range(0, PARTITIONS).boxed().toList());
    Cluster cluster = new Cluster("bench", List.of(), List.of(node));
    StoreDefinition store = StoreDefinition.of(STORE, Persistence.BDB, 1, 1, 1);
    Path config = Files.createDirectories(config(home));
    Files.writeString(config.resolve("cluster.xml"), cluster.toXml());
    Files.writeString(config.resolve("stores.xml"), StoreDefinition.toXml(List.of(store)));
    return cluster;
  }

  /**
   * Returns when it serves. Throws {@link NotServingException} with its log when it does not.
   *
   * @param cluster as {@link #layOut} has written it
   * @param java options of the virtual machine, then the class to run and its arguments
   */
  static ServerProcess start(Path home, Cluster cluster, List<String> java)
      throws IOException, InterruptedException {
    ServerProcess server = new ServerProcess(cluster.node(0), ServerProgram.start(home, java));
    server.await("serve", server::isServing);
    return server;
  }

  /** Returns when {@code ready} returns true; throws as the other. */
  void await(String what, ServerProgram.Condition ready) throws IOException, InterruptedException {
    program.await(what, ready);
  }

  /** An open port is not enough: a stock server's is open before its stores are. */
  private boolean isServing() {
    try (Socket socket = new Socket()) {
      int millis = Math.toIntExact(TimeUnit.SECONDS.toMillis(1));
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), node.socketPort()), millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(PB0);
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(2), StandardCharsets.US_ASCII).equals("ok");
    } catch (IOException notYet) {
      return false;
    }
  }

  /** {@code host:port}, for clients. */
  String address() {
    return node.host() + ":" + node.socketPort();
  }

  /** Puts all keys, with a client of ours. Returns when they are there. */
  void fill(int keys, int valueBytes) throws InterruptedException {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(address()), "fill"))) {
      StoreLoad.fill(List.of(client.store(STORE)), keys, valueBytes);
    }
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
