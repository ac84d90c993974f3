package io.palinode.monitor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Events that arrived behind a hole in their node's sequences. Each would show that what its node
 * had open before it goes on, and an end may be what is missing. So they wait until the node has
 * said what is missing, and has told late what it can; then they are handed on in the order of its
 * clock. Where nothing is missing an event goes straight on, in O(1). What waits is bounded, in
 * number and bytes: what has no room goes on, with what waited of its node before it.
 *
 * <p>Progress behind a hole shows the same, so no watermark may go on while anything {@linkplain
 * #isWaiting waits}: whoever makes watermarks begins with each life of the job, and knows only of
 * the holes since.
 */
public final class KeptBack {
  private static final int EVENTS_MAX = 10_000;

  /** What all that waits may take: as many events with long values would fill the heap. */
  static final long BYTES_MAX = 64L << 20;

  /** About what an event takes beside its record. */
  private static final long EVENT_BYTES = 256;

  private final long bytesMax;
  private final Map<Channel, Waiting> channels = new HashMap<>();

  /** What waits, of what was heard since this began. */
  private long bytes;

  /** Those with a hole, of what was heard since this began. */
  private final Set<Channel> behindHoles = new HashSet<>();

  private record Channel(int partition, int node) {}

  private static final class Waiting {
    private final Numbering numbering;
    private final List<CandidateEvent> events;
    private long incarnation;
    private long heard;
    private boolean isHeardHere;
    private long bytes;

    Waiting() {
      numbering = new Numbering();
      events = new ArrayList<>();
    }

    Waiting(State from) {
      numbering = new Numbering(from.missing());
      events = new ArrayList<>(from.events());
      incarnation = from.missing().incarnation();
      heard = from.heard();
      bytes = events.stream().mapToLong(KeptBack::bytesOf).sum();
    }
  }

  public KeptBack() {
    this(BYTES_MAX);
  }

  /**
   * @param bytesMax for all that waits
   */
  KeptBack(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * What is known of one node on one partition, for a checkpoint.
   *
   * @param heard how many events were observed: of two, the one with more is the later one
   * @param events that wait
   */
  public record State(
      int partition, int node, long heard, Missing missing, List<CandidateEvent> events) {
    public State {
      events = List.copyOf(events);
    }
  }

  /**
   * What is missing of a node's sequences.
   *
   * @param sequence the last
   * @param waits whether what comes next is to wait
   * @param waitsSince the node's time at its first progress since the newest hole; -1 before that
   */
  public record Missing(
      long incarnation, long sequence, boolean waits, long waitsSince, List<Hole> holes) {
    public Missing {
      holes = List.copyOf(holes);
    }
  }

  /** First to last missing sequence. */
  public record Hole(long first, long last) {}

  /** Takes up what a checkpoint has; of several for one node and partition, the latest. */
  public void restore(Iterable<State> saved) {
    for (State state : saved) {
      channels.merge(
          new Channel(state.partition(), state.node()),
          new Waiting(state),
          (a, b) -> a.heard < b.heard ? b : a);
    }
  }

  /** All that is known. */
  public List<State> states() {
    return states(true);
  }

  /**
   * What is known of those of whom something was heard since this began. What a checkpoint had of
   * the others is to be written by one alone: of each copy that is written, all get a copy.
   */
  public List<State> statesHeard() {
    return states(false);
  }

  private List<State> states(boolean all) {
    List<State> states = new ArrayList<>();
    channels.forEach(
        (channel, of) -> {
          if (all || of.isHeardHere) {
            states.add(
                new State(
                    channel.partition(),
                    channel.node(),
                    of.heard,
                    of.numbering.missing(),
                    of.events));
          }
        });
    return states;
  }

  /**
   * Hands on what is not to wait, or no longer.
   *
   * @param fresh false for what is not to be handed on: a repeat, or of a life that is over
   */
  public void observe(CandidateEvent event, boolean fresh, Consumer<CandidateEvent> handOn) {
    Channel channel = new Channel(event.partition(), event.node());
    Waiting waiting = channels.computeIfAbsent(channel, unknown -> new Waiting());
    waiting.heard++;
    if (!waiting.isHeardHere) {
      waiting.isHeardHere = true;
      bytes += waiting.bytes;
    }
    if (event.incarnation() > waiting.incarnation) {
      // What is missing of the life before is never told.
      waiting.incarnation = event.incarnation();
      release(waiting, handOn);
    }
    waiting.numbering.observe(event);
    boolean waits = waiting.numbering.isBehindHole(event);
    if (waits) {
      behindHoles.add(channel);
    } else {
      behindHoles.remove(channel);
    }
    boolean isFull = waiting.events.size() >= EVENTS_MAX || bytes + bytesOf(event) > bytesMax;
    if (!waits || isFull) {
      release(waiting, handOn);
    }
    if (!fresh || event.key().isEmpty()) {
      return;
    }
    if (waits) {
      waiting.events.add(event);
      waiting.bytes += bytesOf(event);
      bytes += bytesOf(event);
    } else {
      handOn.accept(event);
    }
  }

  /**
   * Whether anything is missing of a node and partition of which something was heard since this
   * began: a checkpoint has others too, which are read elsewhere, and before all nodes of a
   * partition were heard there is no watermark of it.
   */
  public boolean isWaiting() {
    return !behindHoles.isEmpty();
  }

  private void release(Waiting waiting, Consumer<CandidateEvent> handOn) {
    if (!waiting.events.isEmpty()) {
      waiting.events.sort(Comparator.comparingLong(CandidateEvent::hlc));
      waiting.events.forEach(handOn);
      waiting.events.clear();
      bytes -= waiting.bytes;
      waiting.bytes = 0;
    }
  }

  private static long bytesOf(CandidateEvent event) {
    return EVENT_BYTES + event.record().length;
  }
}
