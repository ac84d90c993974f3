package io.palinode.monitor;

import io.palinode.wire.v1.Searched;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Of which predicates each node says, with its progress, that it has told every key: once each time
 * that this changes. In no checkpoint: what is told again says nothing new.
 */
public final class SearchCheck {
  private final Map<Channel, Said> said = new HashMap<>();

  private record Channel(int partition, int node) {}

  private record Said(long incarnation, long epoch, List<Searched> searched) {}

  /** To be told before what comes after {@code event}; empty as a rule. */
  public List<Notice> observe(CandidateEvent event) {
    if (event.kind() != CandidateEvent.Kind.PROGRESS) {
      return List.of();
    }
    Channel channel = new Channel(event.partition(), event.node());
    List<Searched> searched = event.decode().getProgress().getSearchedList();
    Said now = new Said(event.incarnation(), event.epoch(), searched);
    Said before = said.put(channel, now);
    return searched.isEmpty() || now.equals(before) ? List.of() : Search.notices(event, searched);
  }
}
