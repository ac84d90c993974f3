package io.palinode.simulation.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.Version;
import io.palinode.hvc.Epsilon;
import io.palinode.simulation.store.Replication;
import io.palinode.simulation.store.StoreKind;
import io.palinode.store.node.NodeSettings;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoreModelTest {
  private static final String KEY = "k";
  private static final long EPOCH = 1;
  private static final int ATTEMPT = 1;
  private static final long PAUSED = 100;
  private static final VersionOrder ORDER =
      StoreKind.VOLDEMORT
          .of(new Replication(2, 2, 1, 1), NodeSettings.of(Epsilon.ofMicros(1)))
          .order();

  private final StoreModel model = new StoreModel(2, PAUSED, (node, key) -> true, ORDER);
  private final VectorClock old = VectorClock.EMPTY.incremented(1, 1);
  private final VectorClock fresh = VectorClock.EMPTY.incremented(0, 4);

  /**
   * Node 1 was down when its own version was deleted. What is written next is concurrent with that,
   * and a repair brings it back to node 0: the same on both, though not in one order.
   */
  private void bringBackWhatWasDeleted() {
    model.put(1, KEY, version(old), 10);
    model.put(0, KEY, version(old), 11);
    model.removed(0, EPOCH, KEY, old.encode(), 20);
    model.deleted(0, EPOCH, KEY, old.encode(), 20);
    model.put(0, KEY, version(fresh), 30);
    model.put(1, KEY, version(fresh), 31);
    model.put(0, KEY, version(old), 40);
  }

  private void compareAll() {
    for (int node = 0; node < 2; node++) {
      model.comparesAll(node, EPOCH, ATTEMPT, PAUSED, 0, PAUSED);
    }
  }

  private void merge(Set<String> exchanged) {
    for (int node = 0; node < 2; node++) {
      model.merged(node, EPOCH, ATTEMPT, PAUSED + 1, exchanged);
    }
  }

  @Test
  void whatADeleteCoversGoesWhenAlikeReplicasAreExchanged() {
    bringBackWhatWasDeleted();
    compareAll();
    merge(Set.of(KEY));
    assertThat(model.now(0, KEY)).isEqualTo(Set.of(version(fresh)));
    assertThat(model.now(1, KEY)).isEqualTo(Set.of(version(fresh)));
  }

  @Test
  void equalReplicasThatAreNotExchangedStayAsTheyAre() {
    bringBackWhatWasDeleted();
    compareAll();
    merge(Set.of());
    assertThat(model.now(0, KEY)).isEqualTo(Set.of(version(old), version(fresh)));
    assertThat(model.now(1, KEY)).isEqualTo(Set.of(version(old), version(fresh)));
  }

  @Test
  void replicasThatDifferBecomeAlikeWhetherTheyWereExchangedOrNot() {
    bringBackWhatWasDeleted();
    model.put(0, KEY, version(fresh.incremented(0, 5)), 50);
    compareAll();
    merge(Set.of());
    assertThat(model.now(0, KEY)).isEqualTo(Set.of(version(fresh.incremented(0, 5))));
    assertThat(model.now(1, KEY)).isEqualTo(Set.of(version(fresh.incremented(0, 5))));
  }

  /** The write that comes back is the older one: a delete may cover it that does not the other. */
  @Test
  void anUndoneWriteGivesWayToOneThatDiffersInItsTimestampOnly() {
    Version before = version("v", old);
    Version again = version("v", old.withTimestamp(2));
    model.put(1, KEY, before, 10);
    model.removed(1, EPOCH, KEY, old.encode(), 20);
    model.put(1, KEY, again, 30);
    model.restored(1, EPOCH, ATTEMPT, 15, 0, PAUSED, false, key -> 15);
    assertThat(model.now(1, KEY))
        .extracting(Version::timestampMs)
        .containsExactly(before.timestampMs());
  }

  @Test
  void aStoreMustHoldTheWriteItselfAndNotOneWithAnotherTimestamp() {
    Version written = version("v", old);
    Version other = version("v", old.withTimestamp(2));
    model.put(1, KEY, written, 10);
    model.requireHolds(1, KEY, List.of(written), "now");
    assertThatThrownBy(() -> model.requireHolds(1, KEY, List.of(other), "now"))
        .isInstanceOf(BrokenInvariant.class);
  }

  private static Version version(VectorClock clock) {
    return version(clock.toString(), clock);
  }

  private static Version version(String value, VectorClock clock) {
    return VoldemortRules.version(Versioned.ofText(value, clock));
  }
}
