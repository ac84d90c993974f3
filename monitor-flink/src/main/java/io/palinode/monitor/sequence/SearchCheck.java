package io.palinode.monitor.sequence;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Searched;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds changes in the list of predicates for which a node has published every key. Each progress
 * repeats the list. The list is in no checkpoint, because a repeated notice changes nothing.
 *
 * <p>If an event of a node is missing, the node's lists are ignored until its next incarnation or
 * epoch. A missing state would otherwise count as an absent key.
 */
public final class SearchCheck {
  private final Map<Channel, SearchedList> lists = new HashMap<>();
  private final Set<Broken> broken = new HashSet<>();

  private record Channel(int partition, int node) {}

  private record SearchedList(long incarnation, long epoch, List<Searched> searched) {}

  /** An incarnation and epoch whose lists are ignored on a partition. */
  public record Broken(int partition, int node, long incarnation, long epoch) {
    /** Parses the result of {@link #toString}. Throws {@link IllegalArgumentException}. */
    public static Broken parse(String text) {
      String[] parts = text.split("/", -1);
      if (parts.length != 4) {
        throw new IllegalArgumentException("a place must have four numbers: '" + text + "'");
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

  /** Restores the places of a checkpoint. */
  public void restore(Iterable<Broken> saved) {
    saved.forEach(broken::add);
  }

  public Collection<Broken> broken() {
    return List.copyOf(broken);
  }

  /** Records a coverage gap right before the event. */
  public void lost(CandidateEvent event, CoverageLost loss) {
    broken.removeIf(place -> place.isOver(event));
    // A gap of an earlier incarnation does not affect the current one.
    if (loss.getIncarnation() == event.incarnation()) {
      broken.add(place(event));
    }
  }

  private static Broken place(CandidateEvent event) {
    return new Broken(event.partition(), event.node(), event.incarnation(), event.epoch());
  }

  /** Returns the notices to publish after {@code event}; usually empty. */
  public List<Notice> observe(CandidateEvent event) {
    if (event.kind() != CandidateEvent.Kind.PROGRESS || broken.contains(place(event))) {
      return List.of();
    }
    Channel channel = new Channel(event.partition(), event.node());
    List<Searched> searched = event.decode().getProgress().getSearchedList();
    SearchedList now = new SearchedList(event.incarnation(), event.epoch(), searched);
    SearchedList before = lists.put(channel, now);
    return searched.isEmpty() || now.equals(before) ? List.of() : Search.notices(event, searched);
  }
}
