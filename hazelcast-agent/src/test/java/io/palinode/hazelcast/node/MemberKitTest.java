package io.palinode.hazelcast.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryName;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.conformance.KitNode;
import io.palinode.store.conformance.KitSite;
import io.palinode.store.conformance.KitStore;
import io.palinode.store.conformance.KitWrite;
import io.palinode.store.conformance.MergingNode;
import io.palinode.store.conformance.StoreKit;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.RecordRules;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The parts of the conformance kit without replicas: Hazelcast makes them equal. */
class MemberKitTest {
  private static final int PARTITION = 0;

  private static final EntryForm FORM = new EntryForm(0, 0, EntryForm.NEVER);

  private static final Maps NO_MAPS =
      new Maps() {
        @Override
        public void awaitBegun() {}

        @Override
        public int partitions() {
          return 1;
        }

        @Override
        public int owner(int partition) {
          return 0;
        }

        @Override
        public void write(List<Entry> entries) {
          throw new UnsupportedOperationException();
        }
      };

  private final StoreKit kit = new StoreKit(Cluster::new);

  /** Each node owns the one partition. */
  private record Cluster() implements KitStore {
    @Override
    public RecordRules rules() {
      return new EntryRules();
    }

    @Override
    public StoreKey key(int number) {
      return EntryKeys.of("kit", "key" + number);
    }

    @Override
    public KitNode open(KitSite site) {
      MemoryEngine engine = new MemoryEngine(List.of(EntryKeys.STORE, NodeMeta.STORE));
      MemberNode node =
          new MemberNode(
              MergingNode.parts(site, EntryKeys.STORE, rules(), engine, null),
              NO_MAPS,
              () -> false);
      node.own(PARTITION, true);
      return new Opened(node);
    }

    @Override
    public KitWrite write(StoreKey key, List<Version> found, int first, Random random) {
      if (random.nextInt(4) == 0) {
        return KitWrite.delete(key, new byte[0], first);
      }
      EntryName name = new EntryName(random.nextInt(3), random.nextInt(2), PARTITION, FORM);
      byte[] record = EntryRules.record(name, Integer.toString(random.nextInt(3)).getBytes(UTF_8));
      return KitWrite.put(key, rules().versions(record).get(0), first);
    }
  }

  private record Opened(MemberNode node) implements KitNode {
    @Override
    public StoreBinding binding() {
      return node;
    }

    @Override
    public void write(KitWrite write) {
      Version added = write.added();
      node.changed(
          write.key(), PARTITION, added == null ? null : new EntryValue(added.value(), FORM));
    }

    @Override
    public void close() {
      node.close();
    }

    @Override
    public void kill() {}
  }

  @Test
  void itsRulesKeepTheirLaws() {
    kit.rules(StoreKit.SEEDS);
  }

  @Test
  void overlappingWritesHaveOneOrder() {
    kit.overlapping(StoreKit.SEEDS / 100);
  }
}
