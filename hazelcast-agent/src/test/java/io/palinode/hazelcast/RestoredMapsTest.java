package io.palinode.hazelcast;

import static io.palinode.hazelcast.HookedCluster.BOUND;
import static io.palinode.hazelcast.HookedCluster.OBJECTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.operation.MapSizeOperation;
import io.palinode.hazelcast.member.WatchedMember;
import io.palinode.hazelcast.node.MemberNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real members whose maps are rolled back, without Kafka. */
class RestoredMapsTest {
  private static final int KEYS = 60;

  @TempDir Path folder;
  private HookedCluster cluster;
  private HazelcastInstance one;
  private HazelcastInstance other;

  @BeforeEach
  void open() throws IOException {
    cluster = new HookedCluster(folder, 2);
    one = cluster.start(0);
    other = cluster.start(1);
    cluster.awaitSafe();
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  private List<MemberNode> nodes() {
    return List.of(cluster.node(0), cluster.node(1));
  }

  /** A time after all that has been written. */
  private long now() {
    long latest = nodes().stream().mapToLong(node -> node.clock().tick().own()).max().orElseThrow();
    nodes().forEach(node -> node.pass(latest));
    return latest;
  }

  private void rollBack(long epoch, long target) {
    nodes().forEach(node -> node.pause(epoch));
    nodes().forEach(node -> node.restore(epoch, 1, target));
    nodes().forEach(node -> node.resume(epoch, target, 0));
  }

  /** What Hazelcast has at each member that holds the entries, owner or backup. */
  private void assertEntries(String map, Map<Object, Object> expected) {
    assertThat(one.<Object, Object>getMap(map).getAll(expected.keySet())).isEqualTo(expected);
    for (int node = 0; node < 2; node++) {
      assertThat(cluster.held(node, map)).as("owned and backed up").isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"values", OBJECTS})
  void entriesOfEachTypeAreBackAtOwnerAndBackup(String name) {
    IMap<Object, Object> map = one.getMap(name);
    Map<Object, Object> before = new HashMap<>();
    before.put("text", "ä/%");
    before.put("4", 1);
    before.put(5L, 1.5);
    before.put((short) 7, 2.5f);
    before.put(true, 'c');
    before.put(UUID.fromString("00000000-0000-0001-0000-000000000002"), (byte) 3);
    before.put(BigInteger.TEN, new BigDecimal("1.50"));
    before.put(new HazelcastJsonValue("{\"a\": 1}"), new HazelcastJsonValue("[1, 2]"));
    before.put(List.of("a", 1), List.of(Map.of("k", "v")));
    map.putAll(before);
    long target = now();
    before.keySet().forEach(key -> map.set(key, "overwritten"));
    map.delete("text");
    map.set("later", "undone");
    long present = now();
    rollBack(1, target);
    assertEntries(name, before);
    rollBack(2, present);
    Map<Object, Object> undone = new HashMap<>();
    before.keySet().forEach(key -> undone.put(key, "overwritten"));
    undone.remove("text");
    undone.put("later", "undone");
    assertEntries(name, undone);
  }

  @Test
  void aTtlKeepsWhatRemainedAndAnEntryWhoseTimeHasEndedIsNotBack() {
    IMap<String, String> map = one.getMap("leases");
    map.set("short", "v", 1, TimeUnit.SECONDS);
    map.set("long", "v", 1, TimeUnit.HOURS);
    map.set("endless", "v");
    long ends = map.getEntryView("long").getExpirationTime();
    long shortEnds = map.getEntryView("short").getExpirationTime();
    long target = now();
    map.clear();
    await().atMost(BOUND).until(() -> System.currentTimeMillis() > shortEnds);
    rollBack(1, target);
    assertThat(map.keySet()).containsExactlyInAnyOrder("long", "endless");
    assertThat(map.getEntryView("long").getExpirationTime()).isBetween(ends - 2_000, ends + 2_000);
    assertThat(map.getEntryView("endless").getExpirationTime()).isEqualTo(Long.MAX_VALUE);
    for (String key : List.of("short", "long", "endless")) {
      String value = key.equals("short") ? HookedCluster.ABSENT : "v";
      assertThat(List.of(cluster.passed(0, "leases", key), cluster.passed(1, "leases", key)))
          .as("what the detector of the owner reads")
          .contains(value);
    }
  }

  @Test
  void aLockedEntryIsRestoredAndStaysLocked() {
    IMap<String, String> map = one.getMap("locked");
    map.set("k", "before");
    long target = now();
    map.lock("k");
    map.set("k", "after");
    rollBack(1, target);
    assertThat(other.getMap("locked").get("k")).isEqualTo("before");
    assertThat(other.getMap("locked").isLocked("k")).isTrue();
  }

  @Test
  void nearCachesForgetWhatARollbackDiscarded() {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add("k" + i);
      one.getMap(HookedCluster.NEAR).set("k" + i, "before");
    }
    long target = now();
    keys.forEach(key -> one.getMap(HookedCluster.NEAR).set(key, "after"));
    List<IMap<String, String>> maps =
        List.of(one.getMap(HookedCluster.NEAR), other.getMap(HookedCluster.NEAR));
    for (IMap<String, String> map : maps) {
      assertThat(map.getAll(keys).values()).as("cached").containsOnly("after");
      assertThat(map.getLocalMapStats().getNearCacheStats().getOwnedEntryCount()).isPositive();
    }
    rollBack(1, target);
    for (IMap<String, String> map : maps) {
      await()
          .atMost(BOUND)
          .untilAsserted(() -> assertThat(map.getAll(keys).values()).containsOnly("before"));
    }
  }

  /** A class of its operations must not be loaded before it is woven. */
  private static final class Partitionless {
    static void require(WatchedMember member) {
      MapSizeOperation operation = new MapSizeOperation("any");
      assertThat(operation.getPartitionId()).isNegative();
      member.require(operation);
    }
  }

  @Test
  void anOperationWithoutAPartitionIsNeverRefused() {
    Partitionless.require(cluster.member(0));
    long unused = cluster.node(0).pause(1);
    Partitionless.require(cluster.member(0));
  }

  @Test
  void clientsWaitDuringAPlanAndMapsThatAreNotWatchedDoNot() throws Exception {
    IMap<String, String> map = one.getMap("paused");
    map.set("k", "before");
    long target = now();
    map.set("k", "after");
    nodes().forEach(node -> node.pause(1));
    CompletableFuture<String> read =
        other.<String, String>getMap("paused").getAsync("k").toCompletableFuture();
    CompletableFuture<Void> write =
        one.<String, String>getMap("paused").setAsync("n", "new").toCompletableFuture();
    one.getMap("__internal").set("k", "v");
    assertThat(one.getMap("__internal").get("k")).isEqualTo("v");
    nodes().forEach(node -> node.restore(1, 1, target));
    assertThat(read).isNotDone();
    assertThat(write).isNotDone();
    nodes().forEach(node -> node.resume(1, target, 0));
    assertThat(read.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo("before");
    write.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    assertThat(map.get("n")).isEqualTo("new");
  }

  private enum Step {
    PAUSED,
    RESTORED,
    RESUMED
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void aMemberThatEndsInAPlanLeavesTheRestoredStateWithItsBackups(Step ended) {
    IMap<String, String> map = one.getMap("killed");
    Map<String, String> before = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      map.set("k" + i, "before");
      before.put("k" + i, "before");
    }
    long target = now();
    for (int i = 0; i < KEYS; i++) {
      map.set("k" + i, "after");
    }
    MemberNode left = cluster.node(0);
    List<MemberNode> both = nodes();
    both.forEach(node -> node.pause(1));
    end(ended, Step.PAUSED);
    both.stream()
        .filter(node -> node == left || ended != Step.PAUSED)
        .forEach(node -> node.restore(1, 1, target));
    end(ended, Step.RESTORED);
    left.resume(1, target, 0);
    end(ended, Step.RESUMED);
    await()
        .atMost(BOUND)
        .untilAsserted(() -> assertThat(map.getAll(before.keySet())).isEqualTo(before));
    assertThat(map.size()).isEqualTo(KEYS);
  }

  private void end(Step ended, Step now) {
    if (ended == now) {
      other.getLifecycleService().terminate();
    }
  }

  @Test
  void aRollbackToATimeBeforeAMigrationIsRefused() {
    IMap<String, String> map = one.getMap("moved");
    for (int i = 0; i < KEYS; i++) {
      map.set("k" + i, "v");
    }
    long target = now();
    other.getLifecycleService().terminate();
    other = cluster.start(1);
    cluster.awaitSafe();
    await()
        .atMost(BOUND)
        .until(() -> IntStream.range(0, HookedCluster.PARTITIONS).anyMatch(cluster.node(1)::owns));
    assertThatThrownBy(() -> rollBack(1, target)).hasMessageContaining("is out of reach");
  }
}
