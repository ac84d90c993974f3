package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A node is to name what it restored, and has lost it. */
class LostRestoreTest {
  private final AtomicLong micros = new AtomicLong(1_000_000);
  private final MemoryBinding.Disk disk = new MemoryBinding.Disk();
  private final MemoryBinding store = new MemoryBinding(0, 1, disk, micros::incrementAndGet, 0);
  private final List<ControlRecord> log = new ArrayList<>();
  private final ControlExecution node =
      new ControlExecution(
          store,
          new LocalDetector(store, new CandidateRing(16, 1), i -> 0, 16),
          log::addAll,
          micros::get,
          () -> {});

  /** All nodes wait for its acknowledgement. */
  @Test
  void itAcknowledgesThatItCannotRestore() {
    store.resume(0, 0, 0);
    store.put("k", "old");
    long target = store.clock().last().own();
    node.pause(1);
    disk.forgetBefore(target + 1);
    node.name(1, Restore.newBuilder().setAttempt(1).setTarget(target).build(), null, Set.of());

    Restored restored = log.get(log.size() - 1).getRestored();
    assertThat(restored.getAttempt()).isEqualTo(1);
    assertThat(restored.getFailure()).isNotEmpty();
    assertThat(restored.getLast()).isTrue();
  }
}
