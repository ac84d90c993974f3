package io.palinode.simulation.check;

import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The open intervals of one incarnation's detector, beside the state of its store. */
public final class NodeIntervals {
  private static final String SINCE = " since ";

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

  /** Forgets all intervals; the detector publishes again what holds. */
  public void reset() {
    open.clear();
    refused.clear();
  }

  public void said(CandidateRecord record) {
    if (record.hasOpened()) {
      String version = opened(record);
      boolean isNew = open.add(version);
      require(isNew || refused.remove(version), "opened twice: " + version, Set.of());
    } else if (record.hasClosed()) {
      String version = closed(record);
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
      refused.add(opened(record));
    } else if (record.hasClosed()) {
      refused.add(closed(record));
    }
  }

  // A version that came again, as a copy that was late, by when it was there.

  private static String opened(CandidateRecord record) {
    return Interval.versionOf(record.getOpened().getValues(0))
        + SINCE
        + CandidateRecords.decode(record.getOpened().getStart()).own();
  }

  private static String closed(CandidateRecord record) {
    return Interval.versionOf(record.getClosed().getOpenedBy())
        + SINCE
        + CandidateRecords.decode(record.getClosed().getStart()).own();
  }

  private static String versionIn(String name) {
    return name.substring(0, name.indexOf(SINCE));
  }

  /** Throws unless what is open are these, by {@link Write#versionOf}. */
  public void requireOpen(List<String> versions) {
    Set<String> holding = new TreeSet<>(versions);
    // What was said in vain, and ended with no room to say so.
    open.removeIf(name -> !holding.contains(versionIn(name)) && refused.remove(name));
    List<String> isOpen = open.stream().map(NodeIntervals::versionIn).sorted().toList();
    require(isOpen.equals(List.copyOf(holding)), "open is " + open, holding);
  }

  private void require(boolean holds, String what, Set<String> holding) {
    if (!holds) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "node %d, %s; what holds is %s".formatted(node, what, holding));
    }
  }
}
