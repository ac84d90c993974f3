package io.palinode.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StoresNowTest {
  private static final long LOOK = StoresNow.LOOK_EVERY_NANOS;

  private final AtomicInteger gaps = new AtomicInteger();
  private List<String> names = List.of("views");
  private final StoresNow stores =
      new StoresNow(List.of(), List.of("views"), this::names, gaps::incrementAndGet);

  private List<String> names() {
    if (names.isEmpty()) {
      throw new IllegalStateException("not now");
    }
    return names;
  }

  @Test
  void aStoreThatIsAddedIsReportedAsUnwatchedAndAsACoverageGap() {
    stores.look(0);
    assertThat(stores.isComplete()).isTrue();
    names = List.of("views", "added");
    stores.look(LOOK / 2);
    assertThat(stores.isComplete()).as("not yet time").isTrue();
    stores.look(LOOK);
    assertThat(stores.isComplete()).isFalse();
    assertThat(stores.unwatched()).containsExactly("added", "views");
    assertThat(gaps).hasValue(1);
    stores.look(2 * LOOK);
    assertThat(gaps).as("once in a while").hasValue(1);
    stores.look(LOOK + StoresNow.GAP_EVERY_NANOS);
    assertThat(gaps).hasValue(2);
    names = List.of("views");
    stores.look(2 * LOOK + StoresNow.GAP_EVERY_NANOS);
    assertThat(stores.isComplete()).isTrue();
  }

  @Test
  void aLookThatFailsKeepsWhatIsKnown() {
    names = List.of("views", "added");
    stores.look(0);
    names = List.of();
    stores.look(LOOK);
    assertThat(stores.unwatched()).containsExactly("added", "views");
  }
}
