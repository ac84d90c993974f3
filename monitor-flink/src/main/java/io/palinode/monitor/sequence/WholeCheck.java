package io.palinode.monitor.sequence;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.Sender;
import io.palinode.wire.v1.Searched;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds since when a node has published each interval that holds, of predicates with {@code
 * within}: at the first progress that lists the predicate, and at the first one after a coverage
 * gap. A node lists none while an interval is omitted, and publishes the events of a gap that it
 * explains again before its next progress.
 *
 * <p>If a node explains a gap not, its lists are ignored until its next incarnation or epoch, when
 * it publishes all that holds again.
 */
public final class WholeCheck {
  /** What was listed last, unless a coverage gap came since; in no checkpoint. */
  private final Map<Channel, Listed> lists = new HashMap<>();

  /** Incarnations and epochs whose lists are ignored on a partition. */
  private final Set<Sender> unexplained = new HashSet<>();

  private record Listed(long incarnation, long epoch, List<Searched> whole) {}

  /** Restores a place of a checkpoint. */
  public void restore(Sender saved) {
    unexplained.add(saved);
  }

  public Collection<Sender> unexplained() {
    return List.copyOf(unexplained);
  }

  /** Records a coverage gap right before the channel's next event. */
  public void lost(Channel channel) {
    lists.remove(channel);
  }

  /**
   * Returns the notices to publish after {@code event}, which was observed by {@code holes}.
   *
   * @param fresh false for a repeated event or one of an earlier incarnation
   */
  public List<Notice> observe(CandidateEvent event, boolean fresh, KeptBack holes) {
    if (holes.givesUp(event.channel())) {
      unexplained.removeIf(place -> place.channel().equals(event.channel()));
      unexplained.add(event.sender());
    }
    boolean isProof =
        fresh
            && event.kind() == CandidateEvent.Kind.PROGRESS
            && !holes.isWaiting(event.channel())
            && !unexplained.contains(event.sender());
    if (!isProof) {
      return List.of();
    }
    List<Searched> whole = event.decode().getProgress().getWholeList();
    Listed now = new Listed(event.incarnation(), event.epoch(), whole);
    Listed before = lists.put(event.channel(), now);
    return now.equals(before) ? List.of() : Search.wholeNotices(event, whole);
  }
}
