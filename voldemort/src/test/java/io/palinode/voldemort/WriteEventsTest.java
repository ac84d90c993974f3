package io.palinode.voldemort;

import static io.palinode.voldemort.NodeRequests.caller;
import static io.palinode.voldemort.NodeRequests.refused;
import static io.palinode.voldemort.NodeRequests.valuesOf;
import static io.palinode.voldemort.TestNodes.bytes;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.store.affected.Access;
import io.palinode.store.affected.Access.Kind;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that a node passes to its listeners. */
class WriteEventsTest {
  private static final StoreKey K = key("k");

  private final AtomicLong micros = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(micros);
  private final List<WriteEvent> events = new ArrayList<>();

  @TempDir Path folder;

  WriteEventsTest() {
    node.listen(events::add);
  }

  @Test
  void anEventHasTheWriteAsItWasApplied() throws RefusedException {
    Hvc known = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 7), 0);
    Reply<Boolean> reply =
        node.writes().put(K, version("v", 0, 1), caller(known, null, "alice", 1));
    WriteEvent event = events.get(0);
    assertThat(event.key()).isEqualTo(K);
    assertThat(event.written()).isEqualTo(new Version(bytes("v"), vector(0, 1).identityBytes()));
    assertThat(event.siblings()).containsExactly(event.written());
    assertThat(event.writer()).isEqualTo("alice");
    assertThat(event.origin()).isEqualTo(1);
    assertThat(node.siblings(K)).extracting(Version::origin).containsExactly(1);
    assertThat(event.before().own()).isLessThan(event.after().own());
    assertThat(event.before().get(1)).isLessThan(known.get(1));
    assertThat(event.after().get(1)).isEqualTo(known.get(1));
    assertThat(event.after().own()).isGreaterThan(known.get(1)).isEqualTo(reply.acceptedAt());
    assertThat(reply.hvc()).isEqualTo(event.after());
  }

  /** Detection needs it, since a clock can repeat after a delete. */
  @Test
  void anEventHasTheTimestampOfTheVersion() throws RefusedException {
    put(new Versioned(bytes("v"), vector(1).withTimestamp(5)));
    node.writes().delete(K, vector(1), Caller.STOCK);
    put(new Versioned(bytes("v"), vector(1).withTimestamp(9)));
    Version first = events.get(0).siblings().get(0);
    Version second = events.get(2).siblings().get(0);
    assertThat(first.timestampMs()).isEqualTo(5);
    assertThat(second.timestampMs()).isEqualTo(9);
    assertThat(second.clock()).isEqualTo(first.clock());
    assertThat(second).isNotEqualTo(first).isEqualTo(events.get(2).written());
    assertThat(node.siblings(K)).containsExactly(second);
  }

  @Test
  void theOriginIsThisNodeForAKnownClientAndUnknownForAStockOne() throws RefusedException {
    node.writes().put(K, version("a", 1), caller(null, null, "alice", null));
    put(version("b", 2));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(0, null);
    assertThat(events).extracting(WriteEvent::writer).containsExactly("alice", "");
  }

  @Test
  void aReadRepairIsACopyWithoutAWriter() throws RefusedException {
    node.writes().put(K, version("v", 1), new Caller(null, null, "reader", 1, 2));
    node.writes().put(K, version("w", 2), new Caller(null, null, "reader", null, 2));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(1, 2);
    assertThat(events).extracting(WriteEvent::writer).containsExactly("", "");
    assertThat(node.siblings(K).get(0).origin()).as("unknown").isNull();
  }

  /** Otherwise a rollback of scope affected would count it as a write of the reader. */
  @Test
  void theAccessLogHasAReadRepairAsACopyWithoutAClient() throws RefusedException {
    node.followAccesses(true);
    node.writes().put(K, version("v", 1), new Caller(null, null, "reader", null, 2));
    node.writes().put(K, version("w", 2), new Caller(null, null, "reader", 0, 2));
    assertThat(node.accesses(0).accesses()).extracting(Access::kind).containsOnly(Kind.COPY);
    assertThat(node.accesses(0).accesses()).extracting(Access::client).containsExactly("", "");
  }

  /** Under the replica rule first, its interval has begun and ended already. */
  @Test
  void aRepairOfAVersionThatTheNodeDeletedIsACopy() throws RefusedException {
    Versioned version = version("v", 1);
    node.writes().put(K, version, caller(null, null, "writer", null));
    node.writes().delete(K, vector(1), caller(null, null, "writer", null));
    node.writes().put(K, version, new Caller(null, null, "reader", 0, 1));
    assertThat(events).extracting(WriteEvent::origin).containsExactly(0, 0, 1);
    assertThat(node.siblings(K).get(0).origin()).as("as in its record").isZero();
  }

  /** As for lack of memory: a committed write that was not passed on is a missed write. */
  @Test
  void aCommittedWriteThatWasNotPassedOnIsReportedAsMissed() throws RefusedException {
    ProbedEngine engine = new ProbedEngine(Medium.MEMORY.open(folder));
    StoreNode failing = new StoreNode(TestNodes.config(), engine, micros::get);
    AtomicLong missed = new AtomicLong();
    failing.listen(
        new WriteListener() {
          @Override
          public boolean watches(StoreKey key) {
            throw new OutOfMemoryError("a test");
          }

          @Override
          public void written(WriteEvent event) {
            events.add(event);
          }

          @Override
          public void missedWrite() {
            missed.incrementAndGet();
          }
        });
    assertThatThrownBy(() -> failing.writes().put(K, version("v", 1), Caller.STOCK))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(valuesOf(failing, K)).containsExactly("v");
    assertThat(missed).hasValue(1);

    failing.hosted().enter(Caller.STOCK);
    assertThatThrownBy(() -> failing.hosted().changed(K, null, new byte[] {1}, null, Caller.STOCK))
        .isInstanceOf(OutOfMemoryError.class);
    failing.hosted().leave();
    assertThat(missed).hasValue(2);

    engine.fails = true;
    assertThat(refused(() -> failing.writes().put(K, version("w", 2), Caller.STOCK)).code())
        .isEqualTo(ErrorCode.PERSISTENCE_FAILURE);
    assertThat(missed).as("a write that was not made").hasValue(2);
  }

  private Reply<Boolean> put(Versioned version) throws RefusedException {
    return node.writes().put(K, version, Caller.STOCK);
  }
}
