package io.palinode.monitor;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Searched;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Of which predicates each node says, with its progress, that it has told every key: once each time
 * that this changes. That is in no checkpoint: what is told again says nothing new.
 *
 * <p>A node is not believed where something of it was lost in the same life and epoch, as for a job
 * that begins when the topic's beginning is gone: a key that was told and not heard would count as
 * absent.
 */
public final class SearchCheck {
  private final Map<Channel, Said> said = new HashMap<>();
  private final Set<Broken> broken = new HashSet<>();

  private record Channel(int partition, int node) {}

  private record Said(long incarnation, long epoch, List<Searched> searched) {}

  /** Where a node is not believed. */
  public record Broken(int partition, int node, long incarnation, long epoch) {
    /** As {@link #toString} has it. Throws {@link IllegalArgumentException}. */
    public static Broken parse(String text) {
      String[] parts = text.split("/", -1);
      if (parts.length != 4) {
        throw new IllegalArgumentException("a place has four numbers: " + text);
      }
      return new Broken(
          Integer.parseInt(parts[0]),
          Integer.parseInt(parts[1]),
          Long.parseLong(parts[2]),
          Long.parseLong(parts[3]));
    }

    @Override
    public String toString() {
      return partition + "/" + node + "/" + incarnation + "/" + epoch;
    }

    private boolean isOver(CandidateEvent event) {
      return partition == event.partition()
          && node == event.node()
          && (incarnation < event.incarnation() || epoch < event.epoch());
    }
  }

  /** Takes up what a checkpoint had. */
  public void restore(Iterable<Broken> saved) {
    saved.forEach(broken::add);
  }

  public Collection<Broken> broken() {
    return List.copyOf(broken);
  }

  /** Something of this node was lost here, right before the event. */
  public void lost(CandidateEvent event, CoverageLost loss) {
    broken.removeIf(place -> place.isOver(event));
    // What an earlier life took with it is not known any more as it is.
    if (loss.getIncarnation() == event.incarnation()) {
      broken.add(place(event));
    }
  }

  private static Broken place(CandidateEvent event) {
    return new Broken(event.partition(), event.node(), event.incarnation(), event.epoch());
  }

  /** To be told before what comes after {@code event}; empty as a rule. */
  public List<Notice> observe(CandidateEvent event) {
    if (event.kind() != CandidateEvent.Kind.PROGRESS || broken.contains(place(event))) {
      return List.of();
    }
    Channel channel = new Channel(event.partition(), event.node());
    List<Searched> searched = event.decode().getProgress().getSearchedList();
    Said now = new Said(event.incarnation(), event.epoch(), searched);
    Said before = said.put(channel, now);
    return searched.isEmpty() || now.equals(before) ? List.of() : Search.notices(event, searched);
  }
}
