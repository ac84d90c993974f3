package io.palinode.monitor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Events that arrived behind a hole in their node's sequences. Each would show that what its node
 * had open before it goes on, and an end may be what is missing. So they wait until the node has
 * said what is missing, and has told late what it can; then they are handed on in the order of its
 * clock. Where nothing is missing an event goes straight on, in O(1).
 */
public final class KeptBack {
  private static final int EVENTS_MAX = 10_000;

  private final Map<Channel, Waiting> channels = new HashMap<>();

  private record Channel(int partition, int node) {}

  private static final class Waiting {
    private final Numbering numbering = new Numbering();
    private final List<CandidateEvent> events = new ArrayList<>();
    private long incarnation;
  }

  /**
   * Hands on what is not to wait, or no longer.
   *
   * @param fresh false for what is not to be handed on: a repeat, or of a life that is over
   */
  public void observe(CandidateEvent event, boolean fresh, Consumer<CandidateEvent> handOn) {
    Waiting waiting =
        channels.computeIfAbsent(
            new Channel(event.partition(), event.node()), channel -> new Waiting());
    if (event.incarnation() > waiting.incarnation) {
      // What is missing of the life before is never told.
      waiting.incarnation = event.incarnation();
      release(waiting, handOn);
    }
    waiting.numbering.observe(event);
    boolean waits = waiting.numbering.isBehindHole(event);
    if (!waits || waiting.events.size() >= EVENTS_MAX) {
      release(waiting, handOn);
    }
    if (!fresh || event.key().isEmpty()) {
      return;
    }
    if (waits) {
      waiting.events.add(event);
    } else {
      handOn.accept(event);
    }
  }

  private static void release(Waiting waiting, Consumer<CandidateEvent> handOn) {
    if (!waiting.events.isEmpty()) {
      waiting.events.sort(Comparator.comparingLong(CandidateEvent::hlc));
      waiting.events.forEach(handOn);
      waiting.events.clear();
    }
  }

  /** All that waits, for a checkpoint. */
  public Collection<CandidateEvent> events() {
    List<CandidateEvent> all = new ArrayList<>();
    channels.values().forEach(waiting -> all.addAll(waiting.events));
    return all;
  }
}
