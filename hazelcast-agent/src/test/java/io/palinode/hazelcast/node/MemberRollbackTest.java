package io.palinode.hazelcast.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.conformance.PassingEngine;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.StoreSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of two members that hold each other's backups, with clocks that differ, and
 * plans in which a member may end at any step.
 */
class MemberRollbackTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_000);
  private static final int KEYS = 6;
  private static final int STEPS_MAX = 12;
  private static final EntryForm FORM = new EntryForm(-11, -11, EntryForm.NEVER);

  /** What the agent could do wrong. */
  private enum Fault {
    NONE,
    /** It does not see what a change replaces. */
    OLD_VALUE_MISSED,
    /** It sees the later of two changes first. */
    ORDER_SWAPPED,
    /** The backup does not see what a plan writes. */
    BACKUP_FORGOTTEN
  }

  /** Finds no record of an entry in every third read. */
  private static final class Forgetful extends PassingEngine {
    private int reads;

    Forgetful(StorageEngine engine) {
      super(engine);
    }

    @Override
    public byte @Nullable [] get(String store, byte[] key) {
      return store.equals(EntryKeys.STORE) && ++reads % 3 == 0 ? null : super.get(store, key);
    }
  }

  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Two members; member {@code i} owns partition {@code i} until it ends. */
  private static final class Cluster {
    private final Random random;
    private final Fault fault;
    private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
    private final List<MemberNode> nodes = new ArrayList<>();
    private final int[] owners = {0, 1};
    private final boolean[] ended = new boolean[2];

    /** What Hazelcast has. */
    private final Map<StoreKey, String> live = new TreeMap<>(BY_NAME);

    /** By node, key and the node's time of the change: the value since then. */
    private final List<Map<StoreKey, TreeMap<Long, String>>> histories =
        List.of(new HashMap<>(), new HashMap<>());

    /** The steps of plans until a member ends; negative: none does. */
    private int stepsLeft = -1;

    private int victim;

    Cluster(Random random) {
      this(random, Fault.NONE);
    }

    Cluster(Random random, Fault fault) {
      this.random = random;
      this.fault = fault;
      for (int node = 0; node < 2; node++) {
        int number = node;
        long skew = random.nextInt(40);
        nodes.add(
            new MemberNode(
                new NodeParts(
                    new NodeSpec(
                        number,
                        2,
                        List.of(
                            new StoreSpec(
                                EntryKeys.STORE, key -> List.of(number), new EntryRules(), false)),
                        NodeSettings.of(Epsilon.parse("10ms"))),
                    engine(),
                    () -> micros.get() + skew,
                    null,
                    MemberNode.UNCOUNTED),
                new Live(number),
                () -> false));
        nodes.get(number).own(number, true);
        nodes.get(number).listen(event -> {});
      }
    }

    private StorageEngine engine() {
      StorageEngine memory = new MemoryEngine(List.of(EntryKeys.STORE, NodeMeta.STORE));
      return fault == Fault.OLD_VALUE_MISSED ? new Forgetful(memory) : memory;
    }

    private static int partition(StoreKey key) {
      return key.key()[key.key().length - 1] % 2;
    }

    private static StoreKey key(int number) {
      return EntryKeys.of("m", "k" + number);
    }

    /** A step of a plan, in which the member may end. */
    private void step(int node) {
      if (!ended[node] && node == victim && stepsLeft-- == 0) {
        ended[node] = true;
        throw new EndedException();
      }
    }

    private void work() {
      for (int i = random.nextInt(STEPS_MAX); i >= 0; i--) {
        micros.addAndGet(random.nextInt(30));
        StoreKey key = key(random.nextInt(KEYS));
        String value = random.nextInt(4) == 0 ? null : "v" + random.nextInt(100);
        assertThat(nodes.get(owners[partition(key)]).refuses(partition(key))).isFalse();
        set(key, value, false);
        if (fault == Fault.ORDER_SWAPPED) {
          apply(owners[partition(key)], key, "the change before");
        }
      }
    }

    /** At the owner, and then at the backup. */
    private void set(StoreKey key, @Nullable String value, boolean isForgotten) {
      live.compute(key, (same, old) -> value);
      int owner = owners[partition(key)];
      apply(owner, key, value);
      if (!ended[1 - owner] && !isForgotten) {
        micros.addAndGet(random.nextInt(5));
        apply(1 - owner, key, value);
      }
    }

    private void apply(int node, StoreKey key, @Nullable String value) {
      MemberNode member = nodes.get(node);
      member.changed(
          key, partition(key), value == null ? null : new EntryValue(value.getBytes(UTF_8), FORM));
      histories
          .get(node)
          .computeIfAbsent(key, any -> new TreeMap<>())
          .put(member.clock().last().own(), Objects.requireNonNullElse(value, ""));
    }

    /** The value of a key at a node's time. */
    private String at(int node, StoreKey key, long hlc) {
      Map.Entry<Long, String> last =
          histories.get(node).getOrDefault(key, new TreeMap<>()).floorEntry(hlc);
      return last == null ? "" : last.getValue();
    }

    private String now(StoreKey key) {
      return live.getOrDefault(key, "");
    }

    private long latest() {
      return nodes.stream().mapToLong(node -> node.clock().tick().own()).max().orElseThrow();
    }

    /** A time in reach, a little earlier. */
    private long earlier() {
      long reach = nodes.stream().mapToLong(MemberNode::reach).max().orElseThrow();
      return Math.max(reach, latest() - Hlc.ofMicros(random.nextInt(60)));
    }

    /** Carries out a step at each member that has not ended. */
    private void each(Step action) {
      for (int node = 0; node < 2; node++) {
        if (!ended[node]) {
          try {
            step(node);
            action.run(node, nodes.get(node));
          } catch (EndedException e) {
            // The other one is the owner, now or later.
            if (random.nextBoolean()) {
              promote();
            }
          }
        }
      }
    }

    private void promote() {
      for (int partition = 0; partition < 2; partition++) {
        if (ended[owners[partition]]) {
          owners[partition] = 1 - owners[partition];
          nodes.get(owners[partition]).own(partition, true);
        }
      }
    }

    void plan(long epoch, long target) {
      each((number, node) -> node.pause(epoch));
      long quiet = latest();
      each((number, node) -> node.pass(quiet));
      each((number, node) -> node.restore(epoch, 1, target));
      resume(epoch, target);
    }

    void resume(long epoch, long target) {
      boolean[] served = new boolean[2];
      each(
          (number, node) -> {
            node.resume(epoch, target, 0, MissedEpochs.NONE);
            step(number);
            served[number] = true;
          });
      for (int node = 0; node < 2; node++) {
        if (served[node] && !ended[1 - node]) {
          nodes.get(1 - node).served(node, epoch);
        }
      }
      promote();
      for (int node = 0; node < 2; node++) {
        if (!ended[node]) {
          nodes.get(node).writeRestored();
        }
      }
    }

    /** Each copy is what Hazelcast has, and no operation is refused. */
    void checkCopies() {
      for (int node = 0; node < 2; node++) {
        for (int i = 0; i < KEYS && !ended[node]; i++) {
          byte[] record = nodes.get(node).history().get(EntryKeys.STORE, key(i).key());
          String copy = record == null ? "" : new String(EntryRules.valueOf(record).bytes(), UTF_8);
          assertThat(copy).as("copy of %s at node %d", key(i), node).isEqualTo(now(key(i)));
        }
      }
      for (int partition = 0; partition < 2; partition++) {
        assertThat(nodes.get(owners[partition]).refuses(partition)).isFalse();
      }
    }

    private interface Step {
      void run(int number, MemberNode node);
    }

    /** Hazelcast, as a member's plan changes it. */
    private final class Live implements Maps {
      private final int node;

      Live(int node) {
        this.node = node;
      }

      @Override
      public void awaitBegun() {}

      @Override
      public int partitions() {
        return owners.length;
      }

      @Override
      public int owner(int partition) {
        return owners[partition];
      }

      @Override
      public void write(List<Entry> entries) {
        for (Entry entry : entries) {
          step(node);
          assertThat(entry.isDue().getAsBoolean()).isTrue();
          assertThat(owners[entry.partition()]).isEqualTo(node);
          EntryValue value = entry.value();
          String text = value == null ? null : new String(value.bytes(), UTF_8);
          set(entry.key(), text, fault == Fault.BACKUP_FORGOTTEN);
        }
      }
    }
  }

  private static final Comparator<StoreKey> BY_NAME =
      (one, other) -> Arrays.compare(one.key(), other.key());

  @Test
  void aPlanGivesTheStateOfItsTargetAndAnUndoTheStateBefore() {
    checkPlans(Fault.NONE);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsFound(Fault fault) {
    assertThatThrownBy(() -> checkPlans(fault)).isInstanceOf(AssertionError.class);
  }

  private static void checkPlans(Fault fault) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Cluster cluster = new Cluster(random, fault);
      cluster.work();
      long first = cluster.earlier();
      cluster.work();
      long target = random.nextBoolean() ? first : cluster.latest();
      Map<StoreKey, String> expected = stateAt(cluster, target);
      Map<StoreKey, String> before = new HashMap<>(present(cluster));
      long undo = cluster.latest();
      cluster.plan(1, target);
      assertThat(present(cluster)).as("seed %d", seed).isEqualTo(expected);
      cluster.checkCopies();
      cluster.plan(2, undo);
      assertThat(present(cluster)).as("undo, seed %d", seed).isEqualTo(before);
      cluster.checkCopies();
      cluster.work();
      cluster.checkCopies();
    }
  }

  @Test
  void aMemberThatEndsAtAnyStepLeavesEachKeyOnOneOfBothCuts() {
    Set<Integer> steps = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Cluster cluster = new Cluster(random);
      cluster.work();
      long target = cluster.earlier();
      cluster.work();
      cluster.victim = random.nextInt(2);
      int stepsLeft = random.nextInt(9);
      cluster.stepsLeft = stepsLeft;
      Map<StoreKey, String> byOwner = stateAt(cluster, target);
      Map<StoreKey, String> byBackup = new HashMap<>();
      for (int i = 0; i < KEYS; i++) {
        StoreKey key = Cluster.key(i);
        byBackup.put(key, cluster.at(1 - Cluster.partition(key), key, target));
      }
      cluster.plan(1, target);
      if (cluster.ended[cluster.victim]) {
        steps.add(stepsLeft);
      }
      present(cluster)
          .forEach(
              (key, value) ->
                  assertThat(value).as("%s", key).isIn(byOwner.get(key), byBackup.get(key)));
      cluster.checkCopies();
      cluster.work();
      cluster.checkCopies();
    }
    assertThat(steps).as("steps at which a member has ended").hasSizeGreaterThan(6);
  }

  @Test
  void aPlanThatIsAbandonedAfterARestoreKeepsAllEntries() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Cluster cluster = new Cluster(random);
      cluster.work();
      long target = cluster.latest();
      cluster.work();
      Map<StoreKey, String> before = present(cluster);
      cluster.each((number, node) -> node.pause(1));
      int some = random.nextInt(2);
      cluster.nodes.get(some).restore(1, 1, target);
      if (random.nextBoolean()) {
        cluster.ended[1 - some] = true;
        cluster.promote();
      }
      cluster.each((number, node) -> node.keep(1, 2, target));
      cluster.resume(1, target);
      assertThat(present(cluster)).as("seed %d", seed).isEqualTo(before);
      cluster.checkCopies();
    }
  }

  private static Map<StoreKey, String> stateAt(Cluster cluster, long target) {
    Map<StoreKey, String> state = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      StoreKey key = Cluster.key(i);
      state.put(key, cluster.at(Cluster.partition(key), key, target));
    }
    return state;
  }

  private static Map<StoreKey, String> present(Cluster cluster) {
    Map<StoreKey, String> present = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      present.put(Cluster.key(i), cluster.now(Cluster.key(i)));
    }
    return present;
  }
}
