package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.stock.AgentBenchmark.Load;
import io.palinode.benchmarks.stock.LoadProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A program whose threads use Hazelcast's own client. */
final class HazelcastClients {
  private HazelcastClients() {}

  /**
   * Starts it: see {@link LoadProgram#start}.
   *
   * @param hazelcast its jar
   * @param home an empty folder
   */
  static LoadProgram start(Path hazelcast, Path home, HazelcastCluster cluster, Load load)
      throws IOException {
    return LoadProgram.start(
        HazelcastClients.class,
        "HazelcastLoad.java",
        home,
        List.of("-Xms256m", "-Xmx256m", "-cp", hazelcast.toString()),
        List.of(
            HazelcastCluster.NAME,
            cluster.address(),
            Integer.toString(load.keys()),
            Integer.toString(load.valueBytes()),
            Integer.toString(load.clients())));
  }
}
