package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.stock.AgentStatus;
import io.palinode.benchmarks.stock.ServerProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Hazelcast members on this machine, each a separate process. For one thread. */
final class HazelcastCluster implements AutoCloseable {
  static final String NAME = "bench";

  private final List<String> addresses;
  private final List<HazelcastMember> members = new ArrayList<>();
  // Of each member; empty without Palinode.
  private final List<AgentStatus> agents = new ArrayList<>();

  private HazelcastCluster(List<String> addresses) {
    this.addresses = addresses;
  }

  /**
   * The agent of all members.
   *
   * @param maps that it watches
   */
  record Agent(Path jar, String kafka, String maps) {}

  /**
   * Returns when all members have joined, and their agents cover all. Throws {@link IOException}
   * with the end of a member's log if that is not in time.
   *
   * @param hazelcast its jar
   * @param home an empty folder
   * @param agent null: without Palinode
   */
  static HazelcastCluster start(Path hazelcast, Path home, Size size, @Nullable Agent agent)
      throws IOException, InterruptedException {
    int members = size.members();
    List<Integer> ports = ServerProgram.freePorts(2 * members);
    HazelcastCluster cluster =
        new HazelcastCluster(
            ports.subList(0, members).stream().map(port -> "127.0.0.1:" + port).toList());
    boolean started = false;
    try {
      for (int i = 0; i < members; i++) {
        cluster.add(hazelcast, home, ports.get(i), size, agent, ports.get(members + i));
      }
      cluster.awaitJoined();
      started = true;
      return cluster;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  private void add(
      Path hazelcast, Path home, int port, Size size, @Nullable Agent agent, int statusPort)
      throws IOException, InterruptedException {
    Path own = home.resolve("member" + members.size());
    members.add(HazelcastMember.start(hazelcast, own, addresses, port, size, agent, statusPort));
    if (agent != null) {
      agents.add(new AgentStatus(statusPort));
    }
  }

  private void awaitJoined() throws IOException, InterruptedException {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).awaitLogged("Members {size:" + members.size());
      if (!agents.isEmpty()) {
        members.get(i).await("cover all", agents.get(i)::isCovered);
      }
    }
  }

  /** Returns when every agent watches for a predicate, or for none. */
  void awaitPredicate(boolean one) throws IOException, InterruptedException {
    for (int i = 0; i < agents.size(); i++) {
      AgentStatus agent = agents.get(i);
      members.get(i).await("take its predicate", () -> agent.hasPredicate(one));
    }
  }

  /** Throws {@link IllegalStateException} unless every agent covers all, and had no failure. */
  void requireCovered() {
    agents.forEach(AgentStatus::requireCovered);
  }

  /** Of each member: what its window-log takes. */
  List<Long> windowLogBytes() {
    return agents.stream().map(AgentStatus::windowLogBytes).toList();
  }

  /** Of all members: a text that changes when a window-log drops what it kept. */
  String reach() {
    return agents.stream().map(AgentStatus::reach).collect(Collectors.joining(" "));
  }

  /** {@code host:port} of one member, from which clients learn the others. */
  String address() {
    return addresses.get(0);
  }

  /** Of all members: see {@link ServerProgram#cpuNanos}. */
  long cpuNanos() {
    return members.stream().mapToLong(HazelcastMember::cpuNanos).sum();
  }

  @Override
  public void close() {
    members.forEach(HazelcastMember::close);
  }
}
