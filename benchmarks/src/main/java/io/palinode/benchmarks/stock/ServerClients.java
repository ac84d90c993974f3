package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.StoreLoad;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Clients of one server, in a closed loop. For one thread. */
interface ServerClients extends AutoCloseable {
  /**
   * Lets them work for {@code rampSeconds}, then measures them for {@code seconds}; the processor's
   * time is the server's.
   */
  Side round(int writePercent, double rampSeconds, double seconds, long seed)
      throws IOException, InterruptedException;

  @Override
  void close();

  /** Clients of ours, each with its own connection and thread; pb0. */
  static ServerClients ours(ServerProcess server, Setting setting) {
    List<StoreClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < setting.load().clients(); i++) {
        clients.add(
            StoreClient.connect(
                ClientConfig.of(List.of(server.address()), "bench-" + i).withConnectionsMax(1)));
      }
    } catch (RuntimeException e) {
      clients.forEach(StoreClient::close);
      throw e;
    }
    return new Ours(server, setting, clients);
  }

  /** The threads of {@code program}, a separate process that is closed with them. */
  static ServerClients stock(ServerProcess server, StockClientProcess program) {
    return new ServerClients() {
      @Override
      public Side round(int writePercent, double rampSeconds, double seconds, long seed)
          throws IOException {
        return program.round(writePercent, rampSeconds, seconds, seed, server::cpuNanos);
      }

      @Override
      public void close() {
        program.close();
      }
    };
  }

  /** See {@link #ours}. */
  record Ours(ServerProcess server, Setting setting, List<StoreClient> clients)
      implements ServerClients {
    private static final double PERCENT = 100;

    @Override
    public Side round(int writePercent, double rampSeconds, double seconds, long seed)
        throws InterruptedException {
      List<Store> stores =
          clients.stream().map(client -> client.store(ServerProcess.STORE)).toList();
      StoreLoad.Mix mix =
          new StoreLoad.Mix(
              setting.load().keys(), setting.load().valueBytes(), writePercent / PERCENT);
      try (StoreLoad load = new StoreLoad(stores, mix, setting.load().clients(), seed)) {
        return load.measure(rampSeconds, seconds, server::cpuNanos);
      }
    }

    @Override
    public void close() {
      clients.forEach(StoreClient::close);
    }
  }
}
