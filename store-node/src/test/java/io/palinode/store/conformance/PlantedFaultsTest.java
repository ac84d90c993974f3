package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.RecordRules;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Faults that the author of a store can make; the kit finds each, and names the seed. */
class PlantedFaultsTest {
  private static final int SEEDS = 200;

  @Test
  void anOldValueThatIsMissedIsFound() {
    assertFound(histories(MissesOldValues::new), "old values by key");
  }

  /** Sees no old value of a record with an odd stamp. */
  private static final class MissesOldValues extends MergingNode {
    MissesOldValues(NodeParts parts) {
      super(parts);
    }

    @Override
    void log(LocalStore store, long hlc, StoreKey key, byte @Nullable [] old) {
      boolean isOdd = old != null && old[Long.BYTES - 1] % 2 != 0;
      super.log(store, hlc, key, isOdd ? null : old);
    }
  }

  @Test
  void anOldValueThatIsNotLoggedIsFound() {
    assertFound(histories(LogsOnlyKnownKeys::new), "old values by key");
  }

  /** Does not log the first write of a key. */
  private static final class LogsOnlyKnownKeys extends MergingNode {
    LogsOnlyKnownKeys(NodeParts parts) {
      super(parts);
    }

    @Override
    void log(LocalStore store, long hlc, StoreKey key, byte @Nullable [] old) {
      if (old != null) {
        super.log(store, hlc, key, old);
      }
    }
  }

  @Test
  void twoEventsInTheWrongOrderAreFound() {
    assertFound(histories(SwapsEvents::new), "one event of");
    assertFound(
        () -> new StoreKit(() -> new LastWriteWins(SwapsEvents::new, null)).overlapping(SEEDS),
        "stamps in the order of events");
  }

  /** Passes every second event on before the one before it. */
  private static final class SwapsEvents extends MergingNode {
    private @Nullable WriteEvent held;

    SwapsEvents(NodeParts parts) {
      super(parts);
    }

    @Override
    void announce(WriteEvent event) {
      WriteEvent before = held;
      held = before == null ? event : null;
      if (before != null) {
        super.announce(event);
        super.announce(before);
      }
    }
  }

  @Test
  void aRecordThatARestoreForgetsIsFound() {
    assertFound(
        () -> new StoreKit(() -> over(ForgetsARecord::new)).histories(SEEDS), "restored to");
  }

  /** Leaves out the first record of a restore, whose commit has the node's own marks. */
  private static final class ForgetsARecord extends PassingEngine {
    ForgetsARecord(StorageEngine engine) {
      super(engine);
    }

    @Override
    public void commit(List<Change> changes, Durability durability) {
      List<Change> kept = new ArrayList<>(changes);
      boolean isRestore = changes.stream().filter(each -> !isRecord(each)).count() > 1;
      if (isRestore && isRecord(changes.get(0))) {
        // The repairs come first.
        kept.remove(0);
      }
      super.commit(kept, durability);
    }
  }

  @Test
  void aCommitInTwoPartsIsFound() {
    assertFound(
        () -> new StoreKit(() -> over(CommitsRecordsFirst::new)).crashes(SEEDS),
        "a refused restore");
  }

  /** Writes the records of a restore before the mark that it is done, in a commit of their own. */
  private static final class CommitsRecordsFirst extends PassingEngine {
    CommitsRecordsFirst(StorageEngine engine) {
      super(engine);
    }

    @Override
    public void commit(List<Change> changes, Durability durability) {
      List<Change> records = changes.stream().filter(each -> isRecord(each)).toList();
      if (records.size() > 1) {
        super.commit(records, durability);
      }
      super.commit(changes, durability);
    }
  }

  @Test
  void aDigestThatIgnoresTheStampIsFound() {
    assertFound(histories(DigestsValues::new), "digests are equal iff the records");
  }

  /** Computes the digest of a key from its value alone. */
  private static final class DigestsValues extends MergingNode {
    DigestsValues(NodeParts parts) {
      super(parts);
    }

    @Override
    public Restoration restore(long epoch, int attempt, long target) {
      Restoration done = super.restore(epoch, attempt, target);
      Map<StoreKey, Replica> replicas = new HashMap<>();
      done.replicas()
          .forEach(
              (key, replica) -> {
                List<Version> versions = siblings(key);
                long digest = versions.isEmpty() ? 1 : 2 + Arrays.hashCode(versions.get(0).value());
                replicas.put(key, new Replica(digest, replica.nodes()));
              });
      return new Restoration(done.undoneWrites(), done.changed(), replicas);
    }
  }

  @Test
  void aConvergeThatForgetsAReplicaIsFound() {
    assertFound(histories(MergesOnlyItsOwn::new), "merged at node");
  }

  /** Takes no contribution but the last. */
  private static final class MergesOnlyItsOwn extends MergingNode {
    MergesOnlyItsOwn(NodeParts parts) {
      super(parts);
    }

    @Override
    public int merge(List<KeyRecord> records) {
      return super.merge(records.subList(records.size() / 2, records.size()));
    }
  }

  @Test
  void rulesWhoseBytesIgnoreAFieldAreFound() {
    assertFound(rules(new IgnoresNegativeStamps()), "read as it was written");
  }

  private static final class IgnoresNegativeStamps extends LastWriteWins.Rules {
    @Override
    public byte[] record(List<Version> versions) {
      byte[] record = super.record(versions);
      if (record.length > 0) {
        ByteBuffer.wrap(record).putLong(Math.max(0, ByteBuffer.wrap(record).getLong()));
      }
      return record;
    }
  }

  @Test
  void rulesWhoseMergeDependsOnTheOrderAreFound() {
    assertFound(rules(new KeepsTheFirst()), "in any order");
  }

  /** Of equal stamps, keeps the version that came first. */
  private static final class KeepsTheFirst extends LastWriteWins.Rules {
    @Override
    public List<Version> merge(List<Version> one, List<Version> other) {
      return !one.isEmpty() && !other.isEmpty() && stamp(one.get(0)) == stamp(other.get(0))
          ? one
          : super.merge(one, other);
    }
  }

  private static void assertFound(ThrowingCallable kit, String promise) {
    assertThatThrownBy(kit)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed=")
        .hasMessageContaining(promise);
  }

  private static ThrowingCallable histories(Function<NodeParts, MergingNode> nodes) {
    return () -> new StoreKit(() -> new LastWriteWins(nodes, null)).histories(SEEDS);
  }

  private static ThrowingCallable rules(RecordRules rules) {
    return () ->
        new StoreKit(
                () ->
                    new LastWriteWins(MergingNode::of, null) {
                      @Override
                      public RecordRules rules() {
                        return rules;
                      }
                    })
            .rules(SEEDS);
  }

  /** A cluster whose nodes reach their records, and their crash points, through another engine. */
  private KitStore over(UnaryOperator<StorageEngine> wrapped) {
    return new LastWriteWins(MergingNode::of, null) {
      @Override
      public KitNode open(KitSite site) {
        UnaryOperator<StorageEngine> medium = engine -> wrapped.apply(site.medium().apply(engine));
        return super.open(new KitSite(site.node(), site.nodes(), site.epochMicros(), medium));
      }
    };
  }

  private static boolean isRecord(StorageEngine.Change change) {
    return change.store().equals(LastWriteWins.STORE);
  }
}
