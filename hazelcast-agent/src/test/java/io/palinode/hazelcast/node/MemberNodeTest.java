package io.palinode.hazelcast.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.StoreSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberNodeTest {
  private static final StoreKey DOOR = EntryKeys.of("locks", "door");
  private static final long HEADER = -11;
  private static final int STRING = -11;
  private static final int OWNED = 1;
  private static final int BACKUP = 2;
  private static final int OTHER = 7;

  private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
  private final List<String> events = new ArrayList<>();
  private int missed;
  private final StillMaps maps = new StillMaps();
  private final MemberNode node =
      new MemberNode(
          new NodeParts(
              new NodeSpec(
                  0,
                  1,
                  List.of(
                      new StoreSpec(EntryKeys.STORE, key -> List.of(0), new EntryRules(), false)),
                  NodeSettings.of(Epsilon.parse("10ms"))),
              new MemoryEngine(List.of(EntryKeys.STORE, NodeMeta.STORE)),
              micros::incrementAndGet,
              null,
              MemberNode.UNCOUNTED),
          maps,
          () -> false);

  @BeforeEach
  void listen() {
    node.own(OWNED, true);
    node.listen(
        new WriteListener() {
          @Override
          public void written(WriteEvent event) {
            events.add(
                event.siblings().isEmpty()
                    ? "-"
                    : new String(event.siblings().get(0).value(), UTF_8));
          }

          @Override
          public void missedWrite() {
            missed++;
          }
        });
  }

  private static EntryValue bytes(String text) {
    return new EntryValue(text.getBytes(UTF_8), new EntryForm(HEADER, STRING, EntryForm.NEVER));
  }

  private long now() {
    return node.clock().tick().own();
  }

  private @Nullable String at(long hlc) {
    byte[] record = node.history().getAsOf(DOOR.store(), DOOR.key(), hlc);
    return record == null
        ? null
        : new String(new EntryRules().versions(record).get(0).value(), UTF_8);
  }

  @Test
  void anOwnerPassesChangesOnAndABackupLogsThemOnly() {
    node.changed(DOOR, OWNED, bytes("ann"));
    node.changed(DOOR, OWNED, null);
    assertThat(events).containsExactly("ann", "-");
    node.changed(DOOR, BACKUP, bytes("bob"));
    long then = now();
    node.changed(DOOR, BACKUP, bytes("eve"));
    assertThat(events).hasSize(2);
    assertThat(at(then)).isEqualTo("bob");
    assertThat(node.siblings(DOOR)).isEmpty();
  }

  @Test
  void aPromotedBackupAnnouncesWhatItHolds() {
    node.changed(DOOR, BACKUP, bytes("bob"));
    List<StoreKey> scanned = new ArrayList<>();
    node.scan((key, versions) -> scanned.add(key));
    assertThat(scanned).isEmpty();
    node.own(BACKUP, true);
    assertThat(node.announce(DOOR, true)).isTrue();
    node.scan((key, versions) -> scanned.add(key));
    assertThat(scanned).containsExactly(DOOR);
    node.own(BACKUP, false);
    assertThat(node.announce(DOOR, false)).isTrue();
    assertThat(events).containsExactly("bob", "-");
  }

  @Test
  void anEntryThatAnotherMemberHasSentBeginsTheReachAgain() {
    node.changed(DOOR, OWNED, bytes("ann"));
    long before = now();
    node.replicated(DOOR, OWNED, bytes("bob"));
    long after = now();
    assertThatThrownBy(() -> at(before)).isInstanceOf(OutOfReachException.class);
    assertThat(at(after)).isEqualTo("bob");
    assertThat(node.reach()).isGreaterThan(before).isLessThanOrEqualTo(after);
    assertThat(events).as("its receiver announces it").containsExactly("ann");
  }

  @Test
  void theRemovalOfAnAbsentKeyIsNoChange() {
    node.changed(DOOR, OWNED, null);
    assertThat(events).isEmpty();
    assertThat(node.visitChanges(node.reach(), key -> true, (hlc, key, before) -> events.add("x")))
        .isTrue();
    assertThat(events).isEmpty();
  }

  @Test
  void changesDuringAPlanAreReportedAsMissed() {
    long unused = node.pause(1);
    node.changed(DOOR, OWNED, bytes("ann"));
    assertThat(missed).isEqualTo(1);
    assertThat(events).isEmpty();
    assertThat(at(now())).isEqualTo("ann");
  }

  private @Nullable String passed() {
    List<Version> versions = node.siblings(DOOR);
    return versions.isEmpty() ? null : new String(versions.get(0).value(), UTF_8);
  }

  private void resume(long target) {
    node.resume(1, target, 0, MissedEpochs.NONE);
  }

  @Test
  void aRestoreIsWhatTheDetectorReadsAndAResumeWritesIt() {
    node.changed(DOOR, OWNED, bytes("ann"));
    long target = now();
    node.changed(DOOR, OWNED, null);
    events.clear();
    assertThat(node.refuses(OWNED)).isFalse();
    long unused = node.pause(1);
    assertThat(node.refuses(OWNED)).isTrue();
    Restoration restored = node.restore(1, 1, target);
    assertThat(restored.changed()).containsExactly(DOOR);
    assertThat(restored.undoneWrites()).isEqualTo(1);
    assertThat(node.restore(1, 1, target)).as("a repeat").isEqualTo(restored);
    assertThat(passed()).isEqualTo("ann");
    List<StoreKey> scanned = new ArrayList<>();
    node.scan((key, versions) -> scanned.add(key));
    assertThat(scanned).containsExactly(DOOR);
    assertThat(at(now())).as("the copy is what the map has").isNull();
    assertThat(maps.written).as("before the resume").isEmpty();
    resume(target);
    assertThat(maps.written).containsExactly("locks/door=ann");
    assertThat(passed()).isEqualTo("ann");
    assertThat(at(now())).isEqualTo("ann");
    assertThat(node.refuses(OWNED)).isFalse();
    assertThat(events).as("no client has written").isEmpty();
  }

  @Test
  void whatIsKeptAfterARestoreIsNotWritten() {
    node.changed(DOOR, OWNED, bytes("ann"));
    long target = now();
    node.changed(DOOR, OWNED, bytes("bob"));
    long unused = node.pause(1);
    assertThat(node.restore(1, 1, target).changed()).containsExactly(DOOR);
    assertThat(node.keep(1, 2, target).changed()).isEmpty();
    assertThat(passed()).isEqualTo("bob");
    resume(target);
    assertThat(maps.written).isEmpty();
  }

  @Test
  void anEntryWhoseTimeHasEndedIsRemovedAndTheDetectorIsInformed() {
    node.changed(
        DOOR, OWNED, new EntryValue("ann".getBytes(UTF_8), new EntryForm(HEADER, STRING, 1)));
    long target = now();
    node.changed(DOOR, OWNED, null);
    events.clear();
    long unused = node.pause(1);
    assertThat(node.restore(1, 1, target).changed()).containsExactly(DOOR);
    resume(target);
    assertThat(maps.written).containsExactly("locks/door=-");
    assertThat(passed()).isNull();
    assertThat(events).containsExactly("-");
  }

  /** An entry of another owner is restored to {@code ann}. Returns the target. */
  private long restoredBackup() {
    maps.owners[BACKUP] = OTHER;
    node.changed(DOOR, BACKUP, bytes("ann"));
    long target = now();
    node.changed(DOOR, BACKUP, bytes("bob"));
    long unused = node.pause(1);
    assertThat(node.restore(1, 1, target).changed()).isEmpty();
    return target;
  }

  @Test
  void aBackupRestoresWhatItsOwnerHadNotServed() {
    long target = restoredBackup();
    resume(target);
    assertThat(maps.written).isEmpty();
    maps.owners[BACKUP] = 0;
    node.own(BACKUP, true);
    assertThat(node.refuses(BACKUP)).isTrue();
    node.writeRestored();
    assertThat(maps.written).containsExactly("locks/door=ann");
    assertThat(node.refuses(BACKUP)).isFalse();
  }

  @Test
  void aBackupRestoresNothingOnceItsOwnerHasServed() {
    long target = restoredBackup();
    resume(target);
    node.served(OTHER, 1);
    maps.owners[BACKUP] = 0;
    node.own(BACKUP, true);
    node.writeRestored();
    assertThat(maps.written).isEmpty();
    assertThat(node.refuses(BACKUP)).isFalse();
  }

  @Test
  void anEvictionOfABackupInAPlanLeavesWhatIsToBeRestored() {
    long target = restoredBackup();
    node.changed(DOOR, BACKUP, null);
    assertThat(node.refuses(BACKUP)).isTrue();
    node.changed(DOOR, BACKUP, bytes("ann"));
    resume(target);
    assertThat(node.refuses(BACKUP)).as("its owner has written it").isFalse();
  }

  @Test
  void aMemberThatOwnsNothingRestoresNothing() {
    node.own(OWNED, false);
    Arrays.fill(maps.owners, OTHER);
    long unused = node.pause(1);
    assertThat(node.restore(1, 1, node.reach() - 1).changed()).isEmpty();
  }

  @Test
  void aTimeBeforeTheReachIsRefused() {
    node.changed(DOOR, OWNED, bytes("ann"));
    long unused = node.pause(1);
    assertThatThrownBy(() -> node.restore(1, 1, node.reach() - 1))
        .isInstanceOf(OutOfReachException.class);
  }

  /** Maps of this node, unless another one owns their partition. */
  private final class StillMaps implements Maps {
    final int[] owners = {0, 0, 0};
    final List<String> written = new ArrayList<>();

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
      for (Entry each : entries) {
        EntryValue value = each.value();
        written.add(
            "%s=%s"
                .formatted(
                    new String(each.key().key(), UTF_8),
                    value == null ? "-" : new String(value.bytes(), UTF_8)));
        node.changed(each.key(), each.partition(), value);
      }
    }
  }
}
