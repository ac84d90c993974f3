package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.past.Deletes.Delete;
import io.palinode.store.restore.KeyCut;
import io.palinode.store.restore.KeyPast;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Node 0 accepted a version first; node 1 had it at 200, and accepted a delete of it at 300. */
class KeyCutTest {
  private static final VectorClock CLOCK = VectorClock.of(new TreeMap<>(Map.of(0, 1L)), 7);
  private static final Versioned VERSION = Versioned.ofText("v", CLOCK).withOrigin(0);
  private static final byte[] RECORD = Siblings.encode(List.of(VERSION));

  /** Merges the pasts of node 0, known since {@code from}, and node 1, at time 400. */
  private static List<Versioned> versions(long from) {
    KeyPast.Builder first = new KeyPast.Builder(VoldemortRules.INSTANCE, from);
    first.changed(400, null);
    KeyPast.Builder second = new KeyPast.Builder(VoldemortRules.INSTANCE, 100);
    second.changed(200, null);
    second.changed(300, RECORD);
    KeyCut cut = new KeyCut(VoldemortRules.INSTANCE);
    long unused = cut.add(contributed(0, RECORD, first.encode(RECORD, List.of())));
    List<Delete> deletes = List.of(new Delete(300, new KeyBytes(CLOCK.encode())));
    long last = cut.add(contributed(1, new byte[0], second.encode(new byte[0], deletes)));
    assertThat(last).isEqualTo(300);
    return cut.versions(List.of()).stream().map(VoldemortRules::versioned).toList();
  }

  private static KeyRecord contributed(int node, byte[] siblings, byte[] past) {
    return new KeyRecord(TestNodes.key("k"), siblings, KeyPast.contributedBy(node, past));
  }

  @Test
  void whoAcceptedAVersionFirstAfterTheDeleteIsHeededWhenItKnowsSo() {
    assertThat(versions(250)).containsExactly(VERSION);
  }

  /** It may have had the version before, and got it back since: by a repair, or a merge. */
  @Test
  void whoHasForgottenWhatWasBeforeTheDeleteIsNot() {
    assertThat(versions(350)).isEmpty();
  }
}
