package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send nonsense, beside one that does not. */
class ConnectionFuzzTest {
  private static final int FUZZERS = 3;

  /** Of each; more would use up the ports of the machine. */
  private static final int CONNECTIONS = 500;

  private static final List<String> PROTOCOLS = List.of("vp0", "vp1", "vp2", "vp3", "pb0", "zzz");

  @Test
  void whatOthersSendHarmsNoConnectionButTheirOwn(@TempDir Path data) throws Exception {
    StoreNodeConfig config =
        StoreNodeConfig.of(0, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB));
    ServerConfig listen = ServerConfig.at("127.0.0.1", 0, 1);
    ExecutorService threads = Executors.newFixedThreadPool(FUZZERS);
    try (StoreService service =
        StoreService.open(
            new StoreServiceConfig(config, data, BdbConfig.DEFAULT, listen, null),
            new SystemMicros())) {
      service.start();
      List<Future<Integer>> fuzzers = new ArrayList<>();
      for (int i = 0; i < FUZZERS; i++) {
        long seed = i;
        Callable<Integer> fuzzer = () -> fuzz(service.port(), seed);
        fuzzers.add(threads.submit(fuzzer));
      }
      int exchanges = serveMeanwhile(service.port(), fuzzers);
      for (Future<Integer> fuzzer : fuzzers) {
        assertThat(fuzzer.get()).isEqualTo(CONNECTIONS);
      }
      assertThat(exchanges).isPositive();
      assertThat(service.node().counters().get(NodeCounter.MALFORMED)).isPositive();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Each exchange has ten seconds: the connection's patience. */
  private static int serveMeanwhile(int port, List<Future<Integer>> fuzzers) throws IOException {
    int exchanges = 0;
    try (RawConnection connection = RawConnection.pb0(port)) {
      while (!fuzzers.stream().allMatch(Future::isDone)) {
        exchanges++;
        String value = "v" + exchanges;
        PutResponse put =
            connection.call(Requests.put("mine", value, exchanges), PutResponse.parser());
        assertThat(put.hasError()).isFalse();
        GetResponse get =
            connection.call(Requests.get(TestNodes.EVERYWHERE, "mine"), GetResponse.parser());
        assertThat(get.getVersioned(0).getValue().toStringUtf8()).isEqualTo(value);
      }
    }
    return exchanges;
  }

  private static int fuzz(int port, long seed) throws IOException {
    FuzzInputs inputs = new FuzzInputs(seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < CONNECTIONS; i++) {
      String protocol = PROTOCOLS.get(random.nextInt(PROTOCOLS.size()));
      try (RawConnection connection = new RawConnection(port)) {
        send(connection, TestNodes.bytes(protocol));
        inputs
            .next(protocol.equals("zzz") ? "vp1" : protocol)
            .forEach(piece -> send(connection, piece));
        if (random.nextInt(4) == 0) {
          // Some wait for the answer to their protocol; the others are gone at once.
          assertThat(connection.text(1)).isIn("o", "n");
        }
      } catch (UncheckedIOException | java.net.SocketException closedOnIt) {
        // As it should be.
      }
    }
    return CONNECTIONS;
  }

  private static void send(RawConnection connection, byte[] bytes) {
    try {
      connection.send(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
