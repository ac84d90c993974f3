package io.palinode.hazelcast;

import static io.palinode.hazelcast.HookedCluster.ABSENT;
import static io.palinode.hazelcast.HookedCluster.BOUND;
import static io.palinode.hazelcast.HookedCluster.OBJECTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MapStoreConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.map.MapStoreAdapter;
import com.hazelcast.transaction.TransactionContext;
import io.palinode.hvc.PointInTime;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real members whose maps are watched, without Kafka. */
class WatchedMapsTest {
  private static final int KEYS = 40;

  @TempDir Path folder;
  private HookedCluster cluster;

  @BeforeEach
  void open() throws IOException {
    cluster = new HookedCluster(folder, 2);
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  /** Sets the value of an entry. */
  private record Set(String to) implements EntryProcessor<String, Object, Object>, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public Object process(Map.Entry<String, Object> entry) {
      entry.setValue(to);
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"binary", OBJECTS})
  void eachKindOfMutationIsLoggedOnceWithItsOldValueAtOwnerAndBackup(String name) {
    HazelcastInstance hazelcast = cluster.start(0);
    HazelcastInstance other = cluster.start(1);
    cluster.awaitSafe();
    IMap<String, Object> map = other.getMap(name);
    map.put("k", "put");
    map.set("k", "set");
    map.replace("k", "replaced");
    map.executeOnKey("k", new Set("processed"));
    map.putAll(Map.of("k", "all"));
    TransactionContext transaction = hazelcast.newTransactionContext();
    transaction.beginTransaction();
    transaction.getMap(name).put("k", "transaction");
    transaction.commitTransaction();
    map.remove("k");
    map.putIfAbsent("k", 42);
    map.evict("k");
    map.set("k", new HazelcastJsonValue("{\"a\":1}"));
    map.delete("k");
    map.set("k", true);
    map.clear();
    map.set("k", 7L);
    map.destroy();
    List<String> replaced =
        List.of(
            ABSENT,
            "put",
            "set",
            "replaced",
            "processed",
            "all",
            "transaction",
            ABSENT,
            "42",
            ABSENT,
            "{\"a\":1}",
            ABSENT,
            "true",
            ABSENT,
            "7");
    for (int node = 0; node < 2; node++) {
      int at = node;
      await()
          .atMost(BOUND)
          .untilAsserted(() -> assertThat(cluster.replaced(at, name, "k")).isEqualTo(replaced));
      assertThat(cluster.passed(at, name, "k")).isEqualTo(ABSENT);
      assertThat(cluster.member(at).status()).containsEntry("failures", 0);
    }
  }

  @Test
  void aTtlThatEndsIsSeenWithoutAReadAndABackupThatKeepsTheEntryDoesNotAnnounceItLater() {
    HazelcastInstance hazelcast = cluster.start(0);
    HazelcastInstance other = cluster.start(1);
    cluster.awaitSafe();
    IMap<String, String> map = hazelcast.getMap("ttl");
    List<String> ofOther = keysOf(other);
    IMap<String, String> destroyed = hazelcast.getMap("destroyed");
    ofOther.forEach(key -> destroyed.set(key, "v", 1, TimeUnit.SECONDS));
    destroyed.destroy();
    map.set(ofOther.get(0), "short", 1, TimeUnit.SECONDS);
    map.set(ofOther.get(1), "long", 1, TimeUnit.HOURS);
    await().atMost(BOUND).until(() -> cluster.passed(1, "ttl", ofOther.get(0)), ABSENT::equals);
    assertThat(cluster.replaced(1, "ttl", ofOther.get(0))).containsExactly(ABSENT, "short");
    assertThat(cluster.member(1).status()).containsEntry("failures", 0);
    other.getLifecycleService().terminate();
    await().atMost(BOUND).until(() -> cluster.passed(0, "ttl", ofOther.get(1)), "long"::equals);
    assertThat(cluster.passed(0, "ttl", ofOther.get(0))).isEqualTo(ABSENT);
  }

  private List<String> keysOf(HazelcastInstance owner) {
    List<String> keys = new ArrayList<>();
    // The first operation assigns the partitions.
    owner.getMap("first").delete("k");
    for (int i = 0; i < KEYS; i++) {
      if (owner
          .getPartitionService()
          .getPartition("key" + i)
          .getOwner()
          .equals(owner.getCluster().getLocalMember())) {
        keys.add("key" + i);
      }
    }
    assertThat(keys).hasSizeGreaterThan(2);
    return keys;
  }

  @Test
  void theLogOfAPromotedBackupContinues() {
    HazelcastInstance hazelcast = cluster.start(0);
    HazelcastInstance other = cluster.start(1);
    cluster.awaitSafe();
    String key = keysOf(other).get(0);
    hazelcast.getMap("m").set(key, "first");
    long then = cluster.node(0).clock().tick().own();
    hazelcast.getMap("m").set(key, "second");
    assertThat(cluster.passed(0, "m", key)).as("a backup's").isEqualTo(ABSENT);
    assertThat(cluster.passed(1, "m", key)).isEqualTo("second");
    List<String> announced = cluster.announced(0, "m", key);
    other.getLifecycleService().terminate();
    await().atMost(BOUND).until(() -> announced.equals(List.of("second")));
    assertThat(cluster.passed(0, "m", key)).isEqualTo("second");
    hazelcast.getMap("m").set(key, "third");
    assertThat(announced).containsExactly("second", "third");
    assertThat(cluster.replaced(0, "m", key)).containsExactly(ABSENT, "first", "second");
    assertThat(cluster.node(0).reach()).isLessThan(then);
  }

  @Test
  void theReachOfAMemberBeginsAgainWithWhatAnotherSendsAndThePastBeforeIsRefused()
      throws Exception {
    HazelcastInstance hazelcast = cluster.start(0);
    IMap<String, String> map = hazelcast.getMap("m");
    for (int i = 0; i < KEYS; i++) {
      map.set("key" + i, "old");
    }
    await()
        .atMost(BOUND)
        .ignoreException(IllegalArgumentException.class)
        .until(() -> cluster.past("node=0&map=m&key=key0").contains("old"));
    long then = cluster.node(0).clock().tick().own();
    for (int i = 0; i < KEYS; i++) {
      map.set("key" + i, "new");
    }
    HazelcastInstance other = cluster.start(1);
    cluster.awaitSafe();
    String key = keysOf(other).get(0);
    await().atMost(BOUND).until(() -> cluster.passed(1, "m", key), "new"::equals);
    await().atMost(BOUND).until(() -> cluster.passed(0, "m", key), ABSENT::equals);
    assertThat(cluster.node(1).reach()).isGreaterThan(then);
    String at = "map=m&key=%s&at=%s".formatted(key, PointInTime.format(then));
    assertThat(cluster.past("node=0&" + at)).contains("\"value\":\"old\"");
    assertThatThrownBy(() -> cluster.past("node=1&" + at))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is out of reach");
    assertThat(cluster.past("node=1&map=m&key=" + key)).contains("\"value\":\"new\"");
  }

  /** Can be written once. */
  private static final class Fickle implements Serializable {
    private static final long serialVersionUID = 1;
    private static final AtomicInteger WRITES = new AtomicInteger();

    private void writeObject(ObjectOutputStream out) throws IOException {
      if (WRITES.getAndIncrement() > 0) {
        throw new IOException("once only");
      }
      out.defaultWriteObject();
    }
  }

  @Test
  void aFailureOfTheAgentBreaksNoOperation() {
    IMap<String, Object> map = cluster.start(0).getMap(OBJECTS);
    map.set("k", new Fickle());
    assertThat(Fickle.WRITES.get()).as("the agent has tried").isEqualTo(2);
    assertThat(cluster.member(0).status()).containsEntry("failures", 1);
    assertThat(cluster.passed(0, OBJECTS, "k")).isEqualTo(ABSENT);
    map.set("k", "after");
    assertThat(map.get("k")).isEqualTo("after");
    assertThat(cluster.passed(0, OBJECTS, "k")).isEqualTo("after");
  }

  @Test
  void aMemberIsOffAndAnswersNothingOnceHalvesOfItsClusterMerge() throws Exception {
    IMap<String, String> map = cluster.start(0).getMap("m");
    map.set("k", "before");
    await()
        .atMost(BOUND)
        .ignoreException(IllegalArgumentException.class)
        .until(() -> cluster.past("map=m&key=k").contains("before"));
    // The member takes part in no real merge here.
    cluster
        .member(0)
        .hazelcast()
        .hazelcastInstance
        .getLifecycleService()
        .fireLifecycleEvent(LifecycleState.MERGING);
    map.set("k", "after");
    assertThat(map.get("k")).isEqualTo("after");
    assertThat(cluster.member(0).status())
        .containsEntry("off", true)
        .containsEntry("covered", false);
    assertThat(cluster.node(0).passesEveryWrite()).isFalse();
    assertThatThrownBy(() -> cluster.past("map=m&key=k"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is out of reach");
  }

  @Test
  void aMapThatIsRefusedWhileItsMemberRunsIsReported() {
    HazelcastInstance hazelcast = cluster.start(0);
    hazelcast
        .getConfig()
        .addMapConfig(
            new MapConfig("late")
                .setMapStoreConfig(
                    new MapStoreConfig()
                        .setEnabled(true)
                        .setClassName(MapStoreAdapter.class.getName())));
    hazelcast.getMap("late").set("k", "v");
    await()
        .atMost(BOUND)
        .until(
            () -> cluster.member(0).status().get("unwatched").toString(),
            causes -> causes.contains("map=late: it has a map store"));
    assertThat(cluster.member(0).status()).containsEntry("covered", false);
    assertThatThrownBy(() -> cluster.past("map=late&key=k"))
        .hasMessageContaining("the map 'late' is not watched");
  }

  @Test
  void aMemberThatCannotBeWatchedDoesNotStart() {
    var config = cluster.config(0);
    config
        .getMapConfig("stored")
        .setMapStoreConfig(new MapStoreConfig().setEnabled(true).setClassName("a.Store"));
    assertThatThrownBy(() -> Hazelcast.newHazelcastInstance(config))
        .hasMessageContaining("map 'stored' cannot be watched: it has a map store");
    var unlisted = cluster.config(0);
    unlisted.getNetworkConfig().setPort(unlisted.getNetworkConfig().getPort() + 2);
    assertThatThrownBy(() -> Hazelcast.newHazelcastInstance(unlisted))
        .hasMessageContaining("'members' must list this member");
  }
}
