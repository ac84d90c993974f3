package io.palinode.cli.describe;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.palinode.cli.snapshot.SnapshotCommand;
import io.palinode.cli.store.StoreAccess;
import io.palinode.hvc.Hlc;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.PastStore;

/** What a node answers about its window-log and its clients. */
public final class NodeReach {
  private NodeReach() {}

  /** Adds the answer to a node of the API, which has the reach of its latest join or pause. */
  public static void addTo(ObjectNode node, StoreAccess access) {
    try {
      int id = node.path("node").asInt();
      PastStore.Reach reach = access.useAnyStore(store -> store.past().reachAt(id));
      node.put("reach", Hlc.format(reach.from())).put("reachTo", Hlc.format(reach.to()));
      node.put("exactReach", Hlc.format(reach.exact().from()));
      node.put("granularity", granularity(reach.exact().granularityHlc()));
      node.put("memoryReach", Hlc.format(reach.memory().from()));
      node.put("memoryBytes", reach.memory().bytes());
      node.put("memory", SnapshotCommand.bytes(reach.memory().bytes()));
      node.put("diskBytes", reach.disk().bytes());
      node.put("disk", SnapshotCommand.bytes(reach.disk().bytes()));
      node.put("stockConnections", reach.stock().connections());
      node.put("stockWrites", reach.stock().writes());
      if (!reach.disk().failure().isEmpty()) {
        node.put("unanswered", "the window-log is not written to disk: " + reach.disk().failure());
      }
    } catch (Refusal unanswered) {
      node.put("unanswered", unanswered.getMessage());
    }
  }

  /** Nothing: every time in reach can be read. */
  private static String granularity(long hlc) {
    long micros = Hlc.micros(hlc);
    return micros == 0
        ? ""
        : micros % 1_000_000 == 0 ? DurationText.of(micros / 1_000_000) : micros + "us";
  }
}
