package io.palinode.monitor.sequence;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Holds events that arrived after a hole in their node's sequences. An event after a hole implies
 * that earlier intervals of the node continue, but the hole may contain their closings. Such events
 * wait until the node has published which sequences are missing and the late closings. Then they
 * are passed on in the order of the node's clock. An event without a hole before it is passed on at
 * once, in O(1). The number and bytes of waiting events are limited. If an event exceeds a limit,
 * it and the waiting events of its node are passed on.
 *
 * <p>Progress after a hole is no proof either, so the watermark must stop while {@link #isWaiting}.
 * The watermark generator restarts with the job and knows only of later holes.
 */
public final class KeptBack {
  private static final int EVENTS_MAX = 10_000;

  /**
   * Limit of the waiting events' bytes; {@link #EVENTS_MAX} events with long values would fill the
   * heap.
   */
  static final long BYTES_MAX = 64L << 20;

  /** Approximate size of an event without its record. */
  private static final long EVENT_BYTES = 256;

  private final long bytesMax;
  private final Map<Channel, Waiting> channels = new HashMap<>();

  /** Bytes of the waiting events, of channels with an event since the start. */
  private long bytes;

  /** Channels with a hole, of those with an event since the start. */
  private final Set<Channel> behindHoles = new HashSet<>();

  private static final class Waiting {
    private final Numbering numbering;
    private final List<CandidateEvent> events;
    private long incarnation;
    private long observed;
    private boolean isObservedHere;
    private long bytes;

    Waiting() {
      numbering = new Numbering();
      events = new ArrayList<>();
    }

    Waiting(State from) {
      numbering = new Numbering(from.missing());
      events = new ArrayList<>(from.events());
      incarnation = from.missing().incarnation();
      observed = from.observed();
      bytes = events.stream().mapToLong(KeptBack::bytesOf).sum();
    }
  }

  public KeptBack() {
    this(BYTES_MAX);
  }

  /**
   * @param bytesMax limit of the waiting events' bytes
   */
  KeptBack(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * The state of one node on one partition, for a checkpoint.
   *
   * @param observed how many events were observed; of two states, the one with more is later
   * @param events the waiting events
   */
  public record State(
      Channel channel, long observed, Missing missing, List<CandidateEvent> events) {
    public State {
      events = List.copyOf(events);
    }
  }

  /**
   * The missing sequences of a node.
   *
   * @param sequence the last sequence observed
   * @param waits whether the next event must wait
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

  /**
   * Restores the states of a checkpoint. Of several for one node and partition, the latest counts.
   */
  public void restore(Iterable<State> saved) {
    for (State state : saved) {
      channels.merge(
          state.channel(), new Waiting(state), (a, b) -> a.observed < b.observed ? b : a);
    }
  }

  /** Returns the states of all channels. */
  public List<State> states() {
    return states(true);
  }

  /**
   * Returns the states of channels with an event since the start. Every subtask receives a copy of
   * every saved state, so one subtask alone must save the states of the other channels.
   */
  public List<State> statesObserved() {
    return states(false);
  }

  private List<State> states(boolean all) {
    List<State> states = new ArrayList<>();
    channels.forEach(
        (channel, of) -> {
          if (all || of.isObservedHere) {
            states.add(new State(channel, of.observed, of.numbering.missing(), of.events));
          }
        });
    return states;
  }

  /**
   * Passes on the event, and waiting events that need not wait any longer.
   *
   * @param fresh false for a repeated event or one of an earlier incarnation
   */
  public void observe(CandidateEvent event, boolean fresh, Consumer<CandidateEvent> handOn) {
    Channel channel = event.channel();
    Waiting waiting = channels.computeIfAbsent(channel, unknown -> new Waiting());
    waiting.observed++;
    if (!waiting.isObservedHere) {
      waiting.isObservedHere = true;
      bytes += waiting.bytes;
    }
    if (event.incarnation() > waiting.incarnation) {
      // An earlier incarnation never publishes its missing events.
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

  /** Waits for nothing more of the channel's incarnation. */
  public void giveUp(Channel channel, Consumer<CandidateEvent> handOn) {
    Waiting waiting = channels.get(channel);
    if (waiting != null) {
      release(waiting, handOn);
      behindHoles.remove(channel);
    }
  }

  /**
   * Returns whether a channel with an event since the start has a hole. Another subtask reads the
   * other channels of a checkpoint. A partition has no watermark before each of its nodes had an
   * event.
   */
  public boolean isWaiting() {
    return !behindHoles.isEmpty();
  }

  /** Returns whether the channel has a hole that its node may still explain. */
  public boolean isWaiting(Channel channel) {
    return behindHoles.contains(channel);
  }

  /**
   * Returns whether the last event of the channel ended the wait for a hole without explanation.
   */
  public boolean givesUp(Channel channel) {
    Waiting waiting = channels.get(channel);
    return waiting != null && waiting.numbering.givesUp();
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
