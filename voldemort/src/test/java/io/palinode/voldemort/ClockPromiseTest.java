package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.hvc.Hlc;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockBehindException;
import io.palinode.voldemort.TestNodes.Medium;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose engine refuses records, and whose spare room takes its clock promise. */
class ClockPromiseTest {
  private static final StoreKey K = key("k");

  @TempDir Path folder;
  private final AtomicLong micros = TestNodes.clock();

  /** Its silence held the judgement of the whole cluster for as long as its disk was full. */
  @Test
  void aNodeWhoseDiskIsFullPublishesProgress() {
    ProbedEngine engine = engine();
    StoreNode full = new StoreNode(TestNodes.config(), engine, micros::get);
    LocalDetector detector = new LocalDetector(full, new CandidateRing(80, 1), instance -> 0, 10);
    detector.reset(0);
    engine.fails = true;
    for (int i = 0; i < 20; i++) {
      micros.addAndGet(200_000);
      assertThat(detector.reportProgress()).isTrue();
    }
    assertThat(full.unpromisedMicros()).isZero();
    StorageHealth.Refusal refusal = Objects.requireNonNull(full.storageRefusal());
    assertThat(refusal.sinceMicros()).isEqualTo(TestNodes.EPOCH_MICROS + 200_000);
    assertThat(refusal.reason()).isEqualTo("broken");
    engine.fails = false;
    micros.addAndGet(200_000);
    assertThat(detector.reportProgress()).isTrue();
    assertThat(full.storageRefusal()).isNull();
    full.close();
  }

  @Test
  void theNextIncarnationStartsAfterWhatAFullNodePublished() {
    ProbedEngine engine = engine();
    StoreNode full = new StoreNode(TestNodes.config(), engine, micros::get);
    LocalDetector detector = new LocalDetector(full, new CandidateRing(8, 1), instance -> 0, 10);
    detector.reset(0);
    engine.fails = true;
    micros.addAndGet(5_000_000);
    assertThat(detector.reportProgress()).isTrue();
    long published = full.clock().last().own();
    // Killed here. Its clock was set back meanwhile, and there is room again.
    engine.fails = false;
    assertThat(NodeParts.opensFromMicros(engine)).isGreaterThanOrEqualTo(Hlc.micros(published));
    micros.addAndGet(-1_000_000);
    assertThatThrownBy(() -> new StoreNode(TestNodes.config(), engine, micros::get))
        .isInstanceOf(ClockBehindException.class);
    micros.addAndGet(1_200_000);
    try (StoreNode next = new StoreNode(TestNodes.config(), engine, micros::get)) {
      assertThat(next.incarnation()).isEqualTo(full.incarnation() + 1);
      assertThat(next.clock().tick().own()).isGreaterThan(published);
    }
  }

  @Test
  void aWriteThatTheEngineRefusesTakesNoRoomInTheWindowLog() throws Exception {
    ProbedEngine engine = engine();
    StoreNode full =
        new StoreNode(
            TestNodes.config(), engine, micros::get, PastOnDiskTest.in(folder.resolve("l"), "b"));
    full.writes().put(K, version("v", 1), Caller.STOCK);
    engine.fails = true;
    micros.addAndGet(200_000);
    long before = full.past().bytes();
    assertThat(full.promises(Hlc.ofMicros(micros.get()))).isTrue();
    for (int i = 2; i < 1_000; i++) {
      long counter = i;
      assertThatThrownBy(() -> full.writes().put(K, version("w", counter), Caller.STOCK))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("the disk is broken");
    }
    assertThat(full.past().bytes()).isEqualTo(before);
    engine.fails = false;
    full.writes().put(K, version("x", 2), Caller.STOCK);
    full.close();
  }

  private ProbedEngine engine() {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    engine.hasSpareRoom = true;
    return engine;
  }
}
