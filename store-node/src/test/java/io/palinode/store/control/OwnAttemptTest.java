package io.palinode.store.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.store.control.MemoryBinding.Disk;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A node's own attempt, also after the node has lost it. */
class OwnAttemptTest {
  private final AtomicLong micros = new AtomicLong(1_000_000);
  private final Disk disk = new Disk();
  private final MemoryBinding store = new MemoryBinding(0, 1, disk, micros::incrementAndGet, 0);
  private final List<ControlRecord> log = new ArrayList<>();
  private final ControlExecution node =
      new ControlExecution(
          store,
          new LocalDetector(store, new CandidateRing(16, 1), i -> 0, 16),
          log::addAll,
          micros::get,
          () -> {});

  @Test
  void undoneWritesAreBackAndComparedWithTheOthers() {
    long past = attempted();
    node.keep(1, restart(past));
    assertThat(value()).isEqualTo("new");
    Restored restored = log.get(log.size() - 1).getRestored();
    assertThat(restored.getUndoneWrites()).isZero();
    assertThat(restored.getChangedList()).hasSize(1);
    assertThat(restored.getGroupsCount()).isZero();
  }

  @Test
  void undoneWritesAreBackIfThePlanIsAbandoned() {
    long past = attempted();
    node.keep(1, restart(past).toBuilder().setRestart(false).build());
    assertThat(value()).isEqualTo("new");
  }

  @Test
  void changesOutOfReachStayAsTheyAre() {
    long past = attempted();
    disk.forgetBefore(past + 1);
    node.keep(1, restart(past));
    assertThat(value()).isEqualTo("old");
    assertThat(log.get(log.size() - 1).getRestored().getFailure()).isEmpty();
  }

  @Test
  void aNodeThatMadeNoAttemptOnlyKeeps() {
    written();
    node.pause(1);
    node.keep(1, restart(store.clock().last().own()));
    assertThat(value()).isEqualTo("new");
  }

  @Test
  void comparingAllKeysBySlicesGivesTheSame() {
    long past = attempted();
    node.keepAll(1, restart(past));
    assertThat(value()).isEqualTo("new");
  }

  private long attempted() {
    long target = written();
    node.pause(1);
    long past = store.clock().last().own();
    node.restore(1, 1, target, past);
    assertThat(value()).isEqualTo("old");
    return past;
  }

  private long written() {
    store.resume(0, 0, 0);
    store.put("k", "old");
    long target = store.clock().last().own();
    store.put("k", "new");
    return target;
  }

  private static Restore restart(long past) {
    return Restore.newBuilder()
        .setAttempt(2)
        .setTarget(1)
        .setKeep(true)
        .setRestart(true)
        .setPast(past)
        .build();
  }

  private String value() {
    return new String(store.siblings(MemoryBinding.key("k")).get(0).value(), UTF_8);
  }
}
