package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.past.Deletes;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeletesTest {
  private static final byte[] KEY = TestNodes.bytes("k");
  private static final VectorClock UP_TO = TestNodes.vector(1);
  private static final byte[] MARK = UP_TO.encode();
  private static final long ENTRY = Deletes.ENTRY_BYTES + 1L + MARK.length;

  private final AtomicInteger forgotten = new AtomicInteger();
  private final Deletes deletes = new Deletes(3 * ENTRY, forgotten::incrementAndGet, null);

  @Test
  void theOldestAreForgottenWhenThereIsNoRoom() {
    for (long hlc = 1; hlc <= 5; hlc++) {
      deletes.add(hlc, KEY, MARK);
    }
    assertThat(standing(5)).containsExactly(3L, 4L, 5L);
    assertThat(deletes.bytes()).isEqualTo(3 * ENTRY);
    assertThat(forgotten).hasValue(2);
  }

  @Test
  void oneThatIsLargerThanAllTheRoomIsForgottenAtOnce() {
    deletes.add(1, new byte[(int) (3 * ENTRY)], MARK);
    assertThat(deletes.bytes()).isZero();
    assertThat(forgotten).hasValue(1);
  }

  @Test
  void whatTheWindowLogNoLongerReachesTakesNoMemory() {
    deletes.add(1, KEY, MARK);
    deletes.add(2, KEY, MARK);
    deletes.forgetUpTo(1);
    assertThat(deletes.bytes()).isEqualTo(ENTRY);
    deletes.forgetUpTo(2);
    assertThat(deletes.bytes()).isZero();
    assertThat(forgotten).hasValue(0);
  }

  @Test
  void whatARestoreTookBackDoesNotStandAfterIt() {
    deletes.add(1, KEY, MARK);
    deletes.add(2, KEY, MARK);
    deletes.undone(3, 1);
    assertThat(standing(2)).containsExactly(1L, 2L);
    assertThat(standing(3)).containsExactly(1L);
  }

  @Test
  void whatARestoreOfOneKeyTookBackStandsForTheOthers() {
    byte[] other = TestNodes.bytes("other");
    Deletes some = withRoom(null);
    some.add(1, KEY, MARK);
    some.add(2, KEY, MARK);
    some.add(2, other, MARK);
    some.undone(3, key -> key.equals(new KeyBytes(KEY)) ? 1 : 2);
    assertThat(standing(some, 2)).as("it can be undone").containsExactly(1L, 2L);
    assertThat(standing(some, 3)).containsExactly(1L);
    assertThat(some.standingAt(key -> 3, 0)).containsKey(new KeyBytes(other));
  }

  @Test
  void whatARestoreOfOneKeyTookBackStandsOnAnEarlierCutOfIt() {
    Deletes some = withRoom(null);
    some.add(1, KEY, MARK);
    some.undone(2, key -> 0);
    some.add(3, KEY, MARK);
    some.undone(4, key -> 2);
    assertThat(standing(some, 1)).containsExactly(1L);
    assertThat(standing(some, 3)).containsExactly(3L);
    assertThat(standing(some, 4)).isEmpty();
  }

  @Test
  void aRestoreOfSomeKeysNotesNothingOfTheOthers() {
    deletes.add(1, KEY, MARK);
    long bytes = deletes.bytes();
    deletes.undone(2, key -> 1);
    assertThat(deletes.bytes()).isEqualTo(bytes);
  }

  @Test
  void whatIsOnDiskHasGoldenBytes() {
    WindowLog disk = onDisk();
    Deletes written = withRoom(disk);
    written.add(1, KEY, MARK);
    written.add(2, KEY, MARK);
    written.undone(3, 2);
    written.undone(4, key -> 1);
    List<String> entries = new ArrayList<>();
    disk.forEachBetween(
        0,
        Long.MAX_VALUE,
        (hlc, key, value) -> entries.add(hlc + " " + hex(key) + " " + hex(value)));
    assertThat(entries)
        .containsExactly(
            "1 006b " + hex(MARK),
            "2 006b " + hex(MARK),
            "3 01 0000000000000002",
            "4 026b 0000000000000001");
    Deletes read = withRoom(disk);
    assertThat(read.bytes()).isEqualTo(written.bytes());
    assertThat(standing(read, 3)).containsExactly(1L, 2L);
    assertThat(standing(read, 4)).containsExactly(1L);
  }

  /** So a release that does not know restores of one key takes too much for undone, no less. */
  @Test
  void whatIsNotKnownOnDiskIsReadAsARestoreOfAllKeys() {
    WindowLog disk = onDisk();
    disk.append(1, new byte[] {0, 'k'}, MARK);
    disk.append(2, new byte[] {0, 'k'}, MARK);
    disk.append(3, new byte[] {3, 'x'}, new byte[] {0, 0, 0, 0, 0, 0, 0, 1});
    Deletes read = withRoom(disk);
    assertThat(standing(read, 3)).containsExactly(1L);
  }

  private Deletes withRoom(@Nullable WindowLog disk) {
    return new Deletes(1_000_000, forgotten::incrementAndGet, disk);
  }

  private static WindowLog onDisk() {
    return new WindowLog(new WindowLogConfig(Duration.ofMinutes(10), 1_000_000), 0);
  }

  private static String hex(byte @Nullable [] bytes) {
    return HexFormat.of().formatHex(Objects.requireNonNull(bytes));
  }

  @Test
  void aNodeCountsThemWithItsWindowLogForAsLongAsItReachesThem() throws RefusedException {
    StoreNode node = withSmallWindowLog();
    node.writes().put(TestNodes.key("k"), TestNodes.version("v", 1), Caller.STOCK);
    long logBytes = node.past().bytes();
    for (int i = 0; i < 10; i++) {
      node.writes().delete(TestNodes.key("k"), UP_TO, Caller.STOCK);
    }
    assertThat(node.past().bytes()).isEqualTo(logBytes + 10 * ENTRY);
    // Old values fill the log, until a time after the deletes is as far as it reaches.
    for (int counter = 1; counter <= 4; counter++) {
      String value = "v".repeat((int) logBytes / 2 - 1_000);
      node.writes().put(TestNodes.key("large"), TestNodes.version(value, counter), Caller.STOCK);
    }
    assertThat(node.past().bytes()).isEqualTo(logBytes);
    assertThat(node.counters().get(NodeCounter.DELETES_FORGOTTEN)).isZero();
  }

  @Test
  void aNodeBoundsThemByAPartOfItsWindowLog() throws RefusedException {
    StoreNode node = withSmallWindowLog();
    StoreKey key = TestNodes.key("k".repeat(10_000));
    for (int i = 0; i < 12; i++) {
      node.writes().delete(key, UP_TO, Caller.STOCK);
    }
    assertThat(node.past().bytes()).isBetween(60_000L, 75_000L);
    assertThat(node.counters().get(NodeCounter.DELETES_FORGOTTEN)).isEqualTo(5);
  }

  private static StoreNode withSmallWindowLog() {
    WindowLogConfig small = new WindowLogConfig(Duration.ofMinutes(10), 300_000);
    StoreNodeConfig config = TestNodes.config().with(settings -> settings.withWindowLog(small));
    return new StoreNode(
        config, Medium.MEMORY.open(Path.of("unused")), TestNodes.clock()::incrementAndGet);
  }

  private List<Long> standing(long target) {
    return standing(deletes, target);
  }

  private static List<Long> standing(Deletes of, long target) {
    return of.standingAt(key -> target, 0).getOrDefault(new KeyBytes(KEY), List.of()).stream()
        .map(Deletes.Delete::hlc)
        .toList();
  }
}
