package io.palinode.monitor.sequence;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.Sender;
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

  /** Incarnations and epochs whose lists are ignored on a partition. */
  private final Set<Sender> broken = new HashSet<>();

  private record SearchedList(long incarnation, long epoch, List<Searched> searched) {}

  /** Restores the places of a checkpoint. */
  public void restore(Iterable<Sender> saved) {
    saved.forEach(broken::add);
  }

  public Collection<Sender> broken() {
    return List.copyOf(broken);
  }

  /** Records a coverage gap right before the event. */
  public void lost(CandidateEvent event, CoverageLost loss) {
    broken.removeIf(place -> isOver(place, event));
    // A gap of an earlier incarnation does not affect the current one.
    if (loss.getIncarnation() == event.incarnation()) {
      broken.add(event.sender());
    }
  }

  private static boolean isOver(Sender place, CandidateEvent event) {
    return place.channel().equals(event.channel())
        && (place.incarnation() < event.incarnation() || place.epoch() < event.epoch());
  }

  /** Returns the notices to publish after {@code event}; usually empty. */
  public List<Notice> observe(CandidateEvent event) {
    if (event.kind() != CandidateEvent.Kind.PROGRESS || broken.contains(event.sender())) {
      return List.of();
    }
    List<Searched> searched = event.decode().getProgress().getSearchedList();
    SearchedList now = new SearchedList(event.incarnation(), event.epoch(), searched);
    SearchedList before = lists.put(event.channel(), now);
    return searched.isEmpty() || now.equals(before) ? List.of() : Search.notices(event, searched);
  }
}
