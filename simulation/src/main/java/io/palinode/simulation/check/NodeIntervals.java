package io.palinode.simulation.check;

import io.palinode.wire.v1.CandidateRecord;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What one life of a node's detector says that holds, beside what its store holds. */
public final class NodeIntervals {
  private final int node;
  private final Set<String> open = new TreeSet<>();

  public NodeIntervals(int node) {
    this.node = node;
  }

  /** All intervals are forgotten: what holds is said anew. */
  public void reset() {
    open.clear();
  }

  public void said(CandidateRecord record) {
    if (record.hasOpened()) {
      String version = Interval.versionOf(record.getOpened().getValues(0));
      require(open.add(version), "opened twice: " + version, Set.of());
    } else if (record.hasClosed()) {
      String version = Interval.versionOf(record.getClosed().getOpenedBy());
      require(open.remove(version), "closed, and was not open: " + version, Set.of());
    }
  }

  /** Throws unless what is open are these versions: {@code key@clock}, the clock in hexadecimal. */
  public void requireOpen(List<String> versions) {
    Set<String> holding = new TreeSet<>(versions);
    require(open.equals(holding), "open is " + open, holding);
  }

  private void require(boolean holds, String what, Set<String> holding) {
    if (!holds) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "node %d, %s; what holds is %s".formatted(node, what, holding));
    }
  }
}
