package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.StoreKey;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeletesTest {
  private static final byte[] KEY = TestNodes.bytes("k");
  private static final VectorClock UP_TO = TestNodes.vector(1);
  private static final long ENTRY = Deletes.ENTRY_BYTES + 1L + UP_TO.encode().length;

  private final AtomicInteger forgotten = new AtomicInteger();
  private final Deletes deletes = new Deletes(3 * ENTRY, forgotten::incrementAndGet, null);

  @Test
  void theOldestAreForgottenWhenThereIsNoRoom() {
    for (long hlc = 1; hlc <= 5; hlc++) {
      deletes.add(hlc, KEY, UP_TO);
    }
    assertThat(standing(5)).containsExactly(3L, 4L, 5L);
    assertThat(deletes.bytes()).isEqualTo(3 * ENTRY);
    assertThat(forgotten).hasValue(2);
  }

  @Test
  void oneThatIsLargerThanAllTheRoomIsForgottenAtOnce() {
    deletes.add(1, new byte[(int) (3 * ENTRY)], UP_TO);
    assertThat(deletes.bytes()).isZero();
    assertThat(forgotten).hasValue(1);
  }

  @Test
  void whatTheWindowLogNoLongerReachesTakesNoMemory() {
    deletes.add(1, KEY, UP_TO);
    deletes.add(2, KEY, UP_TO);
    deletes.forgetUpTo(1);
    assertThat(deletes.bytes()).isEqualTo(ENTRY);
    deletes.forgetUpTo(2);
    assertThat(deletes.bytes()).isZero();
    assertThat(forgotten).hasValue(0);
  }

  @Test
  void whatARestoreTookBackDoesNotStandAfterIt() {
    deletes.add(1, KEY, UP_TO);
    deletes.add(2, KEY, UP_TO);
    deletes.undone(3, 1);
    assertThat(standing(2)).containsExactly(1L, 2L);
    assertThat(standing(3)).containsExactly(1L);
  }

  @Test
  void aNodeCountsThemWithItsWindowLogForAsLongAsItReachesThem() throws RefusedException {
    StoreNode node = withSmallWindowLog();
    node.put(TestNodes.key("k"), TestNodes.version("v", 1), Caller.STOCK);
    long logBytes = node.windowLogBytes();
    for (int i = 0; i < 10; i++) {
      node.delete(TestNodes.key("k"), UP_TO, Caller.STOCK);
    }
    assertThat(node.windowLogBytes()).isEqualTo(logBytes + 10 * ENTRY);
    // Old values fill the log, until a time after the deletes is as far as it reaches.
    for (int counter = 1; counter <= 4; counter++) {
      String value = "v".repeat((int) logBytes / 2 - 1_000);
      node.put(TestNodes.key("large"), TestNodes.version(value, counter), Caller.STOCK);
    }
    assertThat(node.windowLogBytes()).isEqualTo(logBytes);
    assertThat(node.counters().get(NodeCounter.DELETES_FORGOTTEN)).isZero();
  }

  @Test
  void aNodeBoundsThemByAPartOfItsWindowLog() throws RefusedException {
    StoreNode node = withSmallWindowLog();
    StoreKey key = TestNodes.key("k".repeat(10_000));
    for (int i = 0; i < 12; i++) {
      node.delete(key, UP_TO, Caller.STOCK);
    }
    assertThat(node.windowLogBytes()).isBetween(60_000L, 75_000L);
    assertThat(node.counters().get(NodeCounter.DELETES_FORGOTTEN)).isEqualTo(5);
  }

  private static StoreNode withSmallWindowLog() {
    StoreNodeConfig base = TestNodes.config();
    StoreNodeConfig config =
        new StoreNodeConfig(
            base.nodeId(),
            base.cluster(),
            base.stores(),
            base.epsilon(),
            base.maxDrift(),
            new WindowLogConfig(Duration.ofMinutes(10), 300_000),
            base.convergenceWindow(),
            base.writes(),
            base.past());
    return new StoreNode(
        config, Medium.MEMORY.open(Path.of("unused")), TestNodes.clock()::incrementAndGet);
  }

  private List<Long> standing(long target) {
    return deletes.standingAt(target, 0).getOrDefault(new KeyBytes(KEY), List.of()).stream()
        .map(Deletes.Delete::hlc)
        .toList();
  }
}
