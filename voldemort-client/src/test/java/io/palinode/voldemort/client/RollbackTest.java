package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static io.palinode.voldemort.client.TestCluster.R1W3;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.PausedException;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.SafePointTimeoutException;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fences, epochs and the safe point, as a program sees them. */
class RollbackTest {
  private final TestCluster cluster = new TestCluster();
  private final Background background = new Background();
  private final HeldLinks links = new HeldLinks();
  private final List<RolledBack> received = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    background.close();
    cluster.close();
  }

  private StoreClient listening(ClientConfig config) {
    StoreClient client = cluster.client(config);
    client.onRollback(received::add);
    return client;
  }

  private static RolledBack rolledBack(Future<?> call) {
    return catchThrowableOfType(RolledBackException.class, () -> Background.end(call)).rolledBack();
  }

  /** Waits until a node has refused {@code count} requests of the client, probes among them. */
  private void awaitGets(int node, int count) {
    await().until(() -> cluster.node(node).received(RequestType.GET).size() >= count);
  }

  @Test
  void rollbackIsThrownOnceWithItsTarget() {
    StoreClient client = listening(cluster.config());
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    Written stands = store.put(key, "stands");
    store.put(key, "gone");

    cluster.rollBack(1, stands.acceptedAt());

    assertThatThrownBy(() -> store.get(key))
        .isInstanceOfSatisfying(
            RolledBackException.class,
            e -> assertThat(e.rolledBack()).isEqualTo(new RolledBack(0, 1, stands.acceptedAt(), 0)))
        .hasMessageContaining("target=" + stands.acceptedAt());
    assertThat(store.get(key)).isEqualTo("stands");
    assertThat(client.epoch()).isEqualTo(1);
    await().until(() -> received.size() == 1);
    assertThat(received.get(0).target()).isEqualTo(stands.acceptedAt());
    assertThat(client.metrics().rollbacks()).isEqualTo(1);
  }

  @Test
  void callsWaitForTheTargetAndItsLastWordCounts() {
    StoreClient client = listening(cluster.config());
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    long first = store.put(key, "a").acceptedAt();
    long second = store.put(key, "b").acceptedAt();
    store.put(key, "c");

    cluster.all(node -> node.pause(1));
    Future<@Nullable String> get = background.start(() -> store.get(key));
    awaitGets(2, 1);
    Future<Written> put = background.start(() -> store.put(key, "d"));
    cluster.all(node -> node.restore(second));
    int probes = cluster.node(1).received(RequestType.GET).size();
    awaitGets(1, probes + 2);
    assertThat(get).isNotDone();
    assertThat(put).isNotDone();
    assertThat(received).isEmpty();

    cluster.all(node -> node.restore(first));
    cluster.all(node -> node.resume(0));

    assertThat(rolledBack(get).target()).isEqualTo(first);
    assertThat(rolledBack(put).target()).isEqualTo(first);
    assertThat(store.get(key)).isEqualTo("a");
  }

  @Test
  void resultOfAnEpochThatIsOverIsNeverReturned() {
    StoreClient client = listening(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String slow = cluster.keyOf(0, 0);
    String fast = cluster.keyOf(1, 0);
    store.put(slow, "v");
    long target = cluster.node(0).now();
    links.hold(0, Direction.RESPONSE);
    Future<@Nullable String> get = background.start(() -> store.get(slow));
    Future<Written> put = background.start(() -> store.put(cluster.keyOf(0, 1), "w"));
    await().until(() -> links.heldCount(0, Direction.RESPONSE) >= 2);

    cluster.rollBack(1, target);
    assertThatThrownBy(() -> store.get(fast)).isInstanceOf(RolledBackException.class);

    assertThat(rolledBack(get)).isEqualTo(new RolledBack(0, 1, target, 0));
    assertThat(rolledBack(put)).isEqualTo(new RolledBack(0, 1, target, 0));
    links.release(0, Direction.RESPONSE);
    assertThat(store.get(slow)).isEqualTo("v");
    assertThat(client.metrics().rollbacks()).isEqualTo(1);
    await().until(() -> received.size() == 1);
  }

  @Test
  void aClientWithoutUndoneWritesContinuesWithoutANotice() {
    StoreClient client = listening(cluster.config());
    Store store = client.store(R1W3);
    String key = cluster.keyOf(0, 0);
    store.put(key, "a");
    cluster.all(TestNode::letAllStand);

    cluster.all(node -> node.pause(1));
    Future<@Nullable String> get = background.start(() -> store.get(key));
    awaitGets(2, 1);
    Future<Written> put = background.start(() -> store.put(cluster.keyOf(1, 0), "b"));
    assertThat(get).isNotDone();
    cluster.all(node -> node.restore(node.now()));
    cluster.all(node -> node.resume(0));

    assertThat(Background.end(get)).isEqualTo("a");
    assertThat(Background.end(put).acceptedAt()).isPositive();
    assertThat(store.get(key)).isEqualTo("a");
    assertThat(client.epoch()).isEqualTo(1);
    assertThat(received).isEmpty();
    assertThat(client.metrics().rollbacks()).isZero();
  }

  @Test
  void anAnswerOfTheOldEpochCountsWhenNothingOfTheClientWasUndone() {
    StoreClient client = listening(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String slow = cluster.keyOf(0, 0);
    store.put(slow, "v");
    cluster.all(TestNode::letAllStand);
    long target = cluster.node(0).now();
    links.hold(0, Direction.RESPONSE);
    Future<Written> put = background.start(() -> store.put(slow, "w"));
    await().until(() -> links.heldCount(0, Direction.RESPONSE) >= 1);

    cluster.rollBack(1, target + 1_000_000);
    assertThat(store.get(cluster.keyOf(1, 0))).isNull();
    assertThat(client.epoch()).isEqualTo(1);
    assertThat(put).isNotDone();
    links.release(0, Direction.RESPONSE);

    assertThat(Background.end(put).acceptedAt()).isPositive();
    assertThat(store.get(slow)).isEqualTo("w");
    assertThat(received).isEmpty();
  }

  @Test
  void copiesThatAFenceRefusedAreLeftToConvergence() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    cluster.all(TestNode::letAllStand);
    links.hold(1, Direction.REQUEST);
    links.hold(2, Direction.REQUEST);
    store.put(key, "v");
    long target = cluster.node(0).now();

    cluster.rollBack(1, target);
    assertThat(store.get(key)).isEqualTo("v");
    links.release(1, Direction.REQUEST);
    links.release(2, Direction.REQUEST);

    await().until(() -> client.metrics().copiesInFlight() == 0);
    assertThat(client.metrics().copiesFailed()).isZero();
    assertThat(client.metrics().copiesDropped()).isZero();
    assertThat(store.versionsAt(1, key)).as("nodes would have done it").isEmpty();
    assertThat(store.versionsAt(2, key)).isEmpty();
  }

  /** One node resumes a little later than the others. */
  @Test
  void aDeleteDoesNotOvertakeACopyOfItsOwnKeyThatWaits() {
    StoreClient client = cluster.client();
    Store store = client.store(R1W1);
    cluster.all(TestNode::letAllStand);
    cluster.rollBack(1, cluster.node(0).now());
    for (int round = 0; round < 10; round++) {
      String key = cluster.keyOf(0, round);
      assertThat(store.get(key)).isNull();
      cluster.node(1).pause(1);
      long retries = client.metrics().pauseRetries();
      store.put(key, "v");
      // By now it waits for long enough to be overtaken.
      await().until(() -> client.metrics().pauseRetries() > retries + 5);
      cluster.node(1).resume(0);
      assertThat(store.delete(key)).isTrue();
      await().until(() -> client.metrics().copiesInFlight() == 0);
      assertThat(store.versionsAt(1, key)).as("round=%d", round).isEmpty();
    }
    assertThat(client.metrics().copiesFailed()).isZero();
  }

  @Test
  void copiesOfADeleteThatAFenceRefusedAreLeftToConvergence() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    store.put(key, "v");
    await().until(() -> client.metrics().copiesInFlight() == 0);
    cluster.all(TestNode::letAllStand);
    links.hold(1, Direction.REQUEST);
    assertThat(store.delete(key)).isTrue();
    await().until(() -> store.versionsAt(2, key).isEmpty());

    cluster.rollBack(1, cluster.node(0).now());
    assertThat(store.get(key)).isNull();
    links.release(1, Direction.REQUEST);

    await().until(() -> client.metrics().copiesInFlight() == 0);
    assertThat(store.versionsAt(1, key)).as("nodes have done it").hasSize(1);
    assertThat(client.metrics().copiesFailed()).isZero();
  }

  @Test
  void copiesInFlightAreDroppedAndCounted() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    long target = cluster.node(0).now();
    links.hold(1, Direction.REQUEST);
    links.hold(2, Direction.REQUEST);
    store.put(key, "v");
    store.put(key, "w");

    cluster.rollBack(1, target);
    assertThatThrownBy(() -> store.get(key)).isInstanceOf(RolledBackException.class);

    await().until(() -> client.metrics().copiesDropped() == 4);
    assertThat(client.metrics().copiesInFlight()).isZero();
    links.release(1, Direction.REQUEST);
    links.release(2, Direction.REQUEST);
    assertThat(store.versionsAt(1, key)).isEmpty();
    assertThat(store.versionsAt(2, key)).isEmpty();
    assertThat(cluster.node(1).received(RequestType.PUT)).isEmpty();
  }

  @Test
  void rollbackThatOnlyACopyLearnsOfIsThrownByTheNextCall() {
    StoreClient client = listening(cluster.config().withLinks(links));
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    links.hold(1, Direction.REQUEST);
    long accepted = store.put(key, "v").acceptedAt();
    await().until(() -> client.metrics().copiesInFlight() == 1);
    cluster.rollBack(1, accepted);
    links.release(1, Direction.REQUEST);
    await().until(() -> received.size() == 1);

    assertThat(client.metrics().copiesDropped()).isEqualTo(1);
    assertThatThrownBy(() -> store.get(key)).isInstanceOf(RolledBackException.class);
    assertThat(store.get(key)).isEqualTo("v");
  }

  @Test
  void rollbackThatWasMissedIsThrownWithTheNextOneAndTheSafePoint() {
    StoreClient client = cluster.client();
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    long safe = store.put(key, "safe").acceptedAt();
    long early = store.put(key, "early").acceptedAt();
    long late = store.put(key, "late").acceptedAt();
    cluster.all(node -> node.safePoint(safe));
    store.put(key, "last");
    // A copy under way would observe the first rollback before the second.
    await().until(() -> client.metrics().copiesInFlight() == 0);

    cluster.rollBack(1, early);
    cluster.rollBack(2, late);

    assertThatThrownBy(() -> store.get(key))
        .isInstanceOfSatisfying(
            RolledBackException.class,
            e -> assertThat(e.rolledBack()).isEqualTo(new RolledBack(0, 2, safe, 0)));
    assertThat(store.get(key)).isEqualTo("early");
  }

  @Test
  void nodeThatResumesLaterIsWaitedFor() {
    StoreClient client = cluster.client();
    Store store = client.store(R1W1);
    String here = cluster.keyOf(0, 0);
    String there = cluster.keyOf(1, 0);
    store.put(here, "v");
    await().until(() -> client.metrics().copiesInFlight() == 0);
    cluster.all(node -> node.pause(1));
    cluster.all(node -> node.restore(node.now()));
    cluster.node(1).resume(0);
    cluster.node(2).resume(0);
    assertThatThrownBy(() -> store.get(there)).isInstanceOf(RolledBackException.class);

    store.put(there, "w"); // its copy to node 0 meets the pause
    Future<@Nullable String> get = background.start(() -> store.get(here));
    await().until(() -> client.metrics().pauseRetries() > 4);
    assertThat(get).isNotDone();
    assertThat(client.metrics().copiesInFlight()).isEqualTo(1);

    cluster.node(0).resume(0);
    assertThat(Background.end(get)).isEqualTo("v");
    await().until(() -> client.metrics().copiesInFlight() == 0);
    assertThat(cluster.node(0).stored(R1W1, there)).hasSize(1);
    assertThat(client.metrics().copiesFailed()).isZero();
    assertThat(client.metrics().copiesDropped()).isZero();
  }

  @Test
  void pauseIsWaitedOutForSixRequestTimeoutsOnly() {
    ClientConfig impatient = cluster.config().withRequestTimeout(Duration.ofMillis(50));
    StoreClient behind = cluster.client(impatient);
    behind.store(R1W1).put("k", "v");
    cluster.all(node -> node.pause(1));
    assertThatThrownBy(() -> behind.store(R1W1).get("k"))
        .isInstanceOfSatisfying(PausedException.class, e -> assertThat(e.epoch()).isEqualTo(1))
        .hasMessageContaining("was not resumed within 300 ms");
    StoreClient joinsLater = cluster.client(impatient);
    assertThatThrownBy(() -> joinsLater.store(R1W1).get("k"))
        .isInstanceOfSatisfying(PausedException.class, e -> assertThat(e.epoch()).isEqualTo(1))
        .hasMessageContaining("paused for longer than 300 ms");

    cluster.all(node -> node.restore(0));
    cluster.all(node -> node.resume(0));
    assertThatThrownBy(() -> behind.store(R1W1).get("k")).isInstanceOf(RolledBackException.class);
    assertThat(behind.store(R1W1).get("k")).isNull();
    assertThat(joinsLater.store(R1W1).get("k")).isNull();
  }

  @Test
  void writesGoToAllReplicasWhileTheClusterAsksForIt() {
    AtomicLong nowMillis = new AtomicLong(1_000);
    StoreClient client = cluster.client(cluster.config().withLinks(links), nowMillis::get);
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    cluster.all(node -> node.pause(1));
    cluster.all(node -> node.restore(0));
    cluster.all(node -> node.resume(2_000_000));
    assertThatThrownBy(() -> store.get(key))
        .isInstanceOfSatisfying(
            RolledBackException.class,
            e -> assertThat(e.rolledBack().sequentialUntilMicros()).isEqualTo(2_000_000));

    links.hold(2, Direction.RESPONSE);
    Future<Written> put = background.start(() -> store.put(key, "v"));
    await().until(() -> links.heldCount(2, Direction.RESPONSE) == 1);
    assertThat(put).isNotDone();
    nowMillis.set(2_000);
    store.put(key, "w");
    links.release(2, Direction.RESPONSE);
    Background.end(put);
  }

  @Test
  void onlyWritesOfTheKeysThatTheClusterNamesGoToAllReplicas() {
    AtomicLong nowMillis = new AtomicLong(1_000);
    StoreClient client = cluster.client(cluster.config().withLinks(links), nowMillis::get);
    Store store = client.store(R1W1);
    String key = cluster.keyOf(0, 0);
    String other = cluster.keyOf(0, 1);
    cluster.all(node -> node.pause(1));
    cluster.all(node -> node.restore(0));
    cluster.all(node -> node.sequential(2_000_000, key));
    cluster.all(node -> node.resume(0));
    assertThatThrownBy(() -> store.get(key)).isInstanceOf(RolledBackException.class);
    requireSequentialUntilTwoSeconds(store, key, other, nowMillis);
    assertThat(client.metrics().sequentialWrites()).isEqualTo(1);
  }

  @Test
  void aClientThatComesLaterLearnsOfSequentialKeysToo() {
    AtomicLong nowMillis = new AtomicLong(1_000);
    String key = cluster.keyOf(0, 0);
    cluster.all(node -> node.sequential(2_000_000, key));
    StoreClient client = cluster.client(cluster.config().withLinks(links), nowMillis::get);
    requireSequentialUntilTwoSeconds(client.store(R1W1), key, cluster.keyOf(0, 1), nowMillis);
  }

  private void requireSequentialUntilTwoSeconds(
      Store store, String key, String other, AtomicLong nowMillis) {
    links.hold(2, Direction.RESPONSE);
    store.put(other, "v");
    await().until(() -> links.heldCount(2, Direction.RESPONSE) == 1);
    Future<Written> put = background.start(() -> store.put(key, "v"));
    await().until(() -> links.heldCount(2, Direction.RESPONSE) == 2);
    assertThat(put).isNotDone();
    nowMillis.set(2_000);
    store.put(key, "w");
    assertThat(put).isNotDone();
    links.release(2, Direction.RESPONSE);
    Background.end(put);
  }

  @Test
  void safePointIsAwaited() {
    StoreClient client = cluster.client();
    long accepted = client.store(R1W3).put("k", "v").acceptedAt();
    Future<Boolean> safe =
        background.start(
            () -> {
              client.awaitSafe(accepted, Duration.ofSeconds(20));
              return true;
            });
    cluster.all(node -> node.safePoint(accepted - 1));
    await().until(() -> client.safePoint() == accepted - 1);
    assertThat(safe).isNotDone();
    cluster.all(node -> node.safePoint(accepted));
    assertThat(Background.end(safe)).isTrue();
    cluster.all(node -> node.safePoint(0));
    client.awaitSafe(accepted, Duration.ZERO);
  }

  @Test
  void safePointThatDoesNotComeInTimeThrowsATimeout() {
    StoreClient client = cluster.client();
    // Long enough to be asked of every node on a busy machine.
    Duration aWhile = Duration.ofSeconds(2);
    cluster.all(node -> node.safePoint(41));
    assertThatThrownBy(() -> client.awaitSafe(42, aWhile))
        .isInstanceOfSatisfying(
            SafePointTimeoutException.class, e -> assertThat(e.safePoint()).isEqualTo(41));
    cluster.all(TestNode::stop);
    assertThatThrownBy(() -> client.awaitSafe(42, aWhile))
        .isInstanceOf(SafePointTimeoutException.class)
        .hasCauseInstanceOf(InsufficientNodesException.class);
  }

  @Test
  void awaitSafeEndsWithARollbackToAnyTarget() {
    StoreClient client = cluster.client();
    long accepted = client.store(R1W3).put("k", "v").acceptedAt();
    Future<Boolean> safe =
        background.start(
            () -> {
              client.awaitSafe(accepted, Duration.ofSeconds(20));
              return true;
            });
    cluster.rollBack(1, accepted);
    assertThat(rolledBack(safe)).isEqualTo(new RolledBack(0, 1, accepted, 0));
    cluster.all(node -> node.safePoint(accepted));
    client.awaitSafe(accepted, Duration.ofSeconds(20));
  }
}
