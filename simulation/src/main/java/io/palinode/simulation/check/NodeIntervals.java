package io.palinode.simulation.check;

import io.palinode.wire.v1.CandidateRecord;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What one life of a node's detector says that holds, beside what its store holds. */
public final class NodeIntervals {
  private final int node;
  private final boolean mayDrop;
  private final Set<String> open = new TreeSet<>();

  /** What was said in vain, and may be said once more. */
  private final Set<String> refused = new TreeSet<>();

  /**
   * @param mayDrop whether an interval may end whose beginning was not said: there was no room
   */
  public NodeIntervals(int node, boolean mayDrop) {
    this.node = node;
    this.mayDrop = mayDrop;
  }

  /** All intervals are forgotten: what holds is said anew. */
  public void reset() {
    open.clear();
    refused.clear();
  }

  public void said(CandidateRecord record) {
    if (record.hasOpened()) {
      String version = Interval.versionOf(record.getOpened().getValues(0));
      boolean isNew = open.add(version);
      require(isNew || refused.remove(version), "opened twice: " + version, Set.of());
    } else if (record.hasClosed()) {
      String version = Interval.versionOf(record.getClosed().getOpenedBy());
      boolean wasOpen = open.remove(version);
      require(
          wasOpen || refused.remove(version) || mayDrop,
          "closed, and was not open: " + version,
          Set.of());
    }
  }

  /** It did not arrive, and its node knows. */
  public void refused(CandidateRecord record) {
    if (record.hasOpened()) {
      refused.add(Interval.versionOf(record.getOpened().getValues(0)));
    } else if (record.hasClosed()) {
      refused.add(Interval.versionOf(record.getClosed().getOpenedBy()));
    }
  }

  /** Throws unless what is open are these versions: {@code key@clock}, the clock in hexadecimal. */
  public void requireOpen(List<String> versions) {
    Set<String> holding = new TreeSet<>(versions);
    // What was said in vain, and ended with no room to say so.
    open.removeIf(version -> !holding.contains(version) && refused.remove(version));
    require(open.equals(holding), "open is " + open, holding);
  }

  private void require(boolean holds, String what, Set<String> holding) {
    if (!holds) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "node %d, %s; what holds is %s".formatted(node, what, holding));
    }
  }
}
