package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.past.Writers;
import org.junit.jupiter.api.Test;

class WritersTest {
  private final Writers writers = new Writers(5);

  @Test
  void whoWroteAfterATimeIsKnown() {
    writers.wrote(10, "alice");
    writers.wrote(20, "bob");
    writers.wrote(30, "");
    assertThat(writers.since(9)).containsExactly("alice", "bob");
    assertThat(writers.since(10)).containsExactly("bob");
    assertThat(writers.since(20)).isEmpty();
    assertThat(writers.of(20)).isEqualTo("bob");
    assertThat(writers.of(30)).isEmpty();
    assertThat(writers.of(15)).isEmpty();
    assertThat(writers.knownSince()).isEqualTo(5);
  }

  @Test
  void onlyTheLatestWritesAreKnownOneByOne() {
    for (int i = 1; i <= Writers.WRITES_MAX + 1; i++) {
      writers.wrote(i, "alice");
    }
    assertThat(writers.of(1)).isEmpty();
    assertThat(writers.of(2)).isEqualTo("alice");
    assertThat(writers.of(Writers.WRITES_MAX + 1)).isEqualTo("alice");
  }

  @Test
  void tooManyClientsBeginANewPage() {
    for (int i = 0; i <= Writers.CLIENTS_MAX; i++) {
      writers.wrote(10 + i, "client-" + i);
    }
    assertThat(writers.since(0)).containsExactly("client-" + Writers.CLIENTS_MAX);
    assertThat(writers.knownSince()).isEqualTo(10 + Writers.CLIENTS_MAX);
  }
}
