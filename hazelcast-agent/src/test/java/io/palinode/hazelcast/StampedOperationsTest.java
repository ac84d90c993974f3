package io.palinode.hazelcast;

import static io.palinode.hazelcast.HookedCluster.BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.nio.Packet;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicates;
import com.hazelcast.transaction.TransactionContext;
import io.palinode.hazelcast.boot.Listener;
import io.palinode.hazelcast.stamp.OperationStamps;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real members whose operations and responses carry their clocks. */
class StampedOperationsTest {
  private static final long AHEAD_MICROS = 400_000;
  private static final String MAP = "map";
  private static final byte[] MARKER = {'P', 'L', 'N', 'S'};

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

  /**
   * Alters what the agent does.
   *
   * @param stock a member of this port has no agent; 0 for none
   * @param altered of the payload that a member sends
   */
  private record Altered(Listener agent, int stock, UnaryOperator<byte[]> altered)
      implements Listener {
    @Override
    public void starting(Object node) {
      if (((Node) node).getThisAddress().getPort() != stock) {
        agent.starting(node);
      }
    }

    @Override
    public void started(Object node, @Nullable Throwable failure) {
      agent.started(node, failure);
    }

    @Override
    public void operationBegins(Object operation) {
      agent.operationBegins(operation);
    }

    @Override
    public void migrationBegins(Object context, Object event) {
      agent.migrationBegins(context, event);
    }

    @Override
    public void joinRequested(Object node, Object request) {
      agent.joinRequested(node, request);
    }

    @Override
    public Object packetMade(Object serialization, Object packet) {
      Packet made = (Packet) agent.packetMade(serialization, packet);
      return new Packet(altered.apply(made.toByteArray()), made.getPartitionId())
          .resetFlagsTo(made.getFlags());
    }

    @Override
    public void packetReceived(Object engine, Object packet) {
      agent.packetReceived(engine, packet);
    }

    @Override
    public void storeCreated(Object store, Object observers) {
      agent.storeCreated(store, observers);
    }
  }

  private HazelcastInstance start(int node) {
    HazelcastInstance started = cluster.start(node);
    // Hazelcast assigns partitions at the first operation.
    started.getMap("first").set("k", node);
    return started;
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Sets the clock of a member ahead, and returns it. */
  private long ahead(int node) {
    return cluster.node(node).clock().tickPast(Hlc.ofMicros(nowMicros() + AHEAD_MICROS)).own();
  }

  private static String ownedBy(HazelcastInstance member) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "key" + i)
        .filter(key -> member.getPartitionService().getPartition(key).getOwner().localMember())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aWriteThroughAMemberIsStampedByItsOwnerAfterTheClockOfThatMember() {
    HazelcastInstance asked = start(0);
    HazelcastInstance owner = start(1);
    cluster.awaitSafe();
    String key = ownedBy(owner);
    long ahead = ahead(0);
    asked.getMap(MAP).set(key, "v");
    assertThat(cluster.stamp(1, MAP, key)).isGreaterThan(ahead);
    assertThat(cluster.member(1).status())
        .containsEntry("clocksRefused", 0L)
        .containsEntry("stampsUnread", 0L)
        .containsEntry("failures", 0);
  }

  @Test
  void aMemberStampsItsWritesAfterTheClockOfAMemberThatHasAnsweredIt() {
    HazelcastInstance asking = start(0);
    HazelcastInstance owner = start(1);
    cluster.awaitSafe();
    String own = ownedBy(asking);
    long ahead = ahead(1);
    assertThat(asking.getMap(MAP).get(ownedBy(owner))).isNull();
    asking.getMap(MAP).set(own, "v");
    assertThat(cluster.stamp(0, MAP, own))
        .as("%s of %s", cluster.member(0).status(), cluster.node(0).clock().last())
        .isGreaterThan(ahead);
  }

  @Test
  void aBackupStampsAChangeAfterItsOwner() {
    HazelcastInstance owner = start(0);
    HazelcastInstance backup = start(1);
    cluster.awaitSafe();
    String key = ownedBy(owner);
    long ahead = ahead(0);
    owner.getMap(MAP).set(key, "v");
    assertThat(cluster.stamp(0, MAP, key)).isGreaterThan(ahead);
    assertThat(cluster.stamp(1, MAP, key)).isGreaterThan(cluster.stamp(0, MAP, key));
    assertThat(backup.getMap(MAP).get(key)).isEqualTo("v");
  }

  @Test
  void aClockTooFarAheadIsRefusedCountedAndReportedAndItsOperationsAreCarriedOut() {
    HazelcastInstance one = start(0);
    HazelcastInstance other = start(1);
    cluster.awaitSafe();
    HvcClock wrong =
        new HvcClock(
            0,
            2,
            Epsilon.ofMicros(10_000),
            () -> nowMicros() + 10_000_000,
            HvcClock.MAX_DRIFT_DEFAULT);
    OperationStamps poison =
        new OperationStamps(wrong, 2, one.getConfig().getClusterName(), unused -> {});
    cluster.alter(
        agent ->
            new Altered(
                agent,
                0,
                bytes -> {
                  var unused = wrong.tick();
                  return poison.stamped(bytes);
                }));
    exercise(one, other);
    assertThat((long) cluster.member(1).status().get("clocksRefused")).isPositive();
    assertThat(cluster.node(1).health().clocksRefused()).isPositive();
    assertThat(cluster.node(1).health().refusedNode()).isEqualTo(0);
    assertThat(cluster.node(1).health().refusedAheadMicros()).isBetween(8_000_000L, 10_000_000L);
    long own = cluster.node(1).clock().tick().own();
    assertThat(Hlc.micros(own)).isLessThan(nowMicros() + AHEAD_MICROS);
    assertThat(cluster.member(1).status()).containsEntry("off", false).containsEntry("failures", 0);
  }

  /** Hazelcast reads packets itself, so members without the agent ignore a stamp too. */
  @Test
  void hazelcastIgnoresWhatFollowsThePayloadOfAPacket() {
    Random random = new Random(7);
    cluster.alter(
        agent ->
            new Altered(
                agent,
                0,
                bytes -> {
                  byte[] longer = Arrays.copyOf(bytes, bytes.length + 4 + random.nextInt(300));
                  for (int i = bytes.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt();
                  }
                  if (random.nextBoolean()) {
                    System.arraycopy(MARKER, 0, longer, longer.length - 4, 4);
                  }
                  return longer;
                }));
    HazelcastInstance one = start(0);
    HazelcastInstance other = start(1);
    cluster.awaitSafe();
    exercise(one, other);
    assertThat((long) cluster.member(0).status().get("stampsUnread")).isPositive();
    assertThat((long) cluster.member(1).status().get("stampsUnread")).isPositive();
    assertThat(cluster.member(1).status()).containsEntry("off", false).containsEntry("failures", 0);
  }

  /** Operations and responses of several kinds, to owners and backups. */
  private void exercise(HazelcastInstance one, HazelcastInstance other) {
    IMap<String, Object> map = one.getMap(MAP);
    for (int i = 0; i < 50; i++) {
      map.set("key" + i, i);
      assertThat(other.getMap(MAP).put("key" + i, "v" + i)).isEqualTo(i);
      assertThat(map.get("key" + i)).isEqualTo("v" + i);
    }
    TransactionContext transaction = other.newTransactionContext();
    transaction.beginTransaction();
    transaction.getMap(MAP).put("key1", "transaction");
    transaction.getMap(MAP).put("key2", "transaction");
    transaction.commitTransaction();
    map.putAll(Map.of("key3", "all", "key4", "all", "key5", "all"));
    assertThat(map.entrySet(Predicates.alwaysTrue())).hasSize(50);
    assertThat(other.getMap(MAP).size()).isEqualTo(50);
    assertThatThrownBy(() -> other.getMap(MAP).put(ownedBy(one), new Object()))
        .isInstanceOf(RuntimeException.class);
    assertThatThrownBy(
            () ->
                other
                    .getMap(MAP)
                    .executeOnKey(
                        ownedBy(one),
                        entry -> {
                          throw new IllegalArgumentException("refused");
                        }))
        .hasMessageContaining("refused");
    assertThat(cluster.held(0, MAP)).isEqualTo(cluster.held(1, MAP)).hasSize(50);
  }

  @Test
  void aMasterRefusesAMemberWithoutTheAgentAndAdmitsALiteOne() throws IOException {
    // Each has another address: a refusal is sent several times, and may meet the next member.
    cluster.close();
    cluster = new HookedCluster(folder, 4);
    HazelcastInstance master = start(0);
    cluster.alter(agent -> new Altered(agent, cluster.port(1), bytes -> bytes));
    assertThatThrownBy(() -> Hazelcast.newHazelcastInstance(cluster.config(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(master.getCluster().getMembers()).hasSize(1);
    cluster.alter(agent -> new Altered(agent, cluster.port(2), bytes -> bytes));
    HazelcastInstance lite = Hazelcast.newHazelcastInstance(cluster.config(2).setLiteMember(true));
    try {
      lite.getMap(MAP).set("k", "v");
      assertThat(master.getMap(MAP).get("k")).isEqualTo("v");
    } finally {
      lite.getLifecycleService().terminate();
    }
    await().atMost(BOUND).until(() -> master.getCluster().getMembers().size() == 1);
    cluster.alter(agent -> agent);
    HazelcastInstance other = start(3);
    cluster.awaitSafe();
    assertThat(other.getCluster().getMembers()).hasSize(2);
  }

  @Test
  void aMemberNamesAMasterWithoutTheAgent() {
    cluster.alter(agent -> new Altered(agent, cluster.port(0), bytes -> bytes));
    HazelcastInstance stock = start(0);
    cluster.start(1).getMap(MAP).set("k", "v");
    assertThat(stock.getMap(MAP).get("k")).isEqualTo("v");
    await()
        .atMost(BOUND)
        .until(
            () -> cluster.member(1).status().get("unwatched").toString(),
            causes -> causes.contains("runs without the agent"));
  }
}
