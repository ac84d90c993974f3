package io.palinode.voldemort.server;

import static io.palinode.voldemort.server.Requests.getAll;
import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.TestServices.metadata;
import static io.palinode.voldemort.server.TestServices.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask for large answers and do not read them, over real sockets. */
class UnreadAnswersTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int SILENT = 12;
  private static final int VALUE_BYTES = 6 << 20;

  /** An answer with all of them has 36 MiB, far more than the buffers of a socket. */
  private static final String[] KEYS = {"a", "b", "c", "d", "e", "f"};

  @TempDir Path data;

  private final List<RawConnection> silent = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (RawConnection connection : silent) {
      connection.close();
    }
  }

  @Test
  void clientsThatReadNoAnswersLoseTheOldestOnesAndOthersAreServed() throws IOException {
    ServerConfig config = server(0, ServerConfig.Connections.DEFAULT, Duration.ofHours(1));
    try (StoreService service = TestServices.open(data, config, TestNodes.clock()::get)) {
      service.start();
      try (RawConnection working = RawConnection.pb0(service.port())) {
        for (String key : KEYS) {
          PutResponse put =
              working.call(put(key, "x".repeat(VALUE_BYTES), 1), PutResponse.parser());
          assertThat(put.hasError()).isFalse();
        }
        for (int i = 0; i < SILENT; i++) {
          RawConnection connection = RawConnection.pb0(service.port());
          silent.add(connection);
          connection.send(getAll(TestNodes.EVERYWHERE, KEYS));
          int earlier = i;
          // 64 MiB of answers are kept: room for one.
          await("all but the last are closed")
              .atMost(BOUND)
              .until(() -> closed(service) == earlier);
          assertThat(metadata(working, "node.id")).isEqualTo("0");
        }
        assertThat(silent.get(SILENT - 1).answer(GetAllResponse.parser()).getValuesCount())
            .isEqualTo(KEYS.length);
        assertThat(
                working
                    .call(getAll(TestNodes.EVERYWHERE, KEYS), GetAllResponse.parser())
                    .getValuesCount())
            .isEqualTo(KEYS.length);
        assertThat(closed(service)).isEqualTo(SILENT - 1);
      }
    }
  }

  private static long closed(StoreService service) {
    return service.node().counters().get(NodeCounter.ANSWERS_UNREAD);
  }
}
