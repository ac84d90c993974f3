package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.ReplicaState;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ClauseRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds replicas of a variable that disagree for longer than a time.
 *
 * <p>A published state waits until progress exceeds it, and is then applied in HLC order, so the
 * order of arrival changes nothing. Two replicas disagree since t if one of them has kept one state
 * since t, and the other has not had that state since t. A copy that lags behind a variable under
 * constant writes is thus found. A variable that is written more often than copies take is not. If
 * clients write both sides of a partition more often than the time, the detector finds that when
 * one side rests.
 *
 * <ul>
 *   <li><b>Sound</b>: they disagreed for longer than the time, by every clock within ε: a report
 *       waits ε longer and is {@link Grade#DEFINITE}. With ε = ∞ clocks have no bound; then it does
 *       not wait, and is {@link Grade#POSSIBLE}.
 *   <li><b>Complete</b>: each episode is reported once, as soon as progress has come to the moment
 *       at which it had lasted so long ({@link Witness#violate}). An episode ends when all replicas
 *       have been seen to agree.
 *   <li><b>Bounded</b>: of a variable it keeps one state a replica. A variable that is absent on
 *       all replicas is forgotten. Of more events that wait than {@link
 *       DetectionLimits#intervalsMax} the oldest is applied too early, and counted.
 * </ul>
 *
 * A replica with an unknown state neither agrees nor disagrees. Its state is unknown before its
 * node has published all states ({@link #searched}), and after a restart of the node, whose last
 * records may be missing. An event costs O(replicas + log waiting).
 */
public final class DivergenceDetector implements Detector {
  /** Of replicas that are not known, or are absent and cannot be forgotten. */
  private static final long ASKED_EVERY = Hlc.ofMicros(1_000_000);

  private final DetectionSpec spec;
  private final DetectionLimits limits;
  private final long lasting;
  private final Grade grade;

  /** By {@link ReplicaState#variable}. */
  private final Map<String, Replicas> variables = new TreeMap<>();

  private final PriorityQueue<Event> waiting =
      new PriorityQueue<>(
          Comparator.comparingLong(Event::at)
              .thenComparingInt(event -> event.id().node())
              .thenComparingLong(event -> event.id().sequence()));

  /** Of each node, the last that was applied. Not in the bytes: nodes publish it again. */
  private final @Nullable Event[] searched;

  /** Incarnations that are in {@link #searched}, or wait to be. */
  private final long[] announced;

  /** Of each node, its newest incarnation. Not in the bytes either. */
  private final long[] incarnations;

  private long progress;
  private long tooEarly;
  // Of the last call.
  private List<Ended> ended = List.of();

  /** A candidate; if that is null, a node has published all its states. */
  private record Event(CandidateId id, Hvc clock, @Nullable Candidate candidate) {
    long at() {
      return clock.own();
    }
  }

  private DivergenceDetector(DetectionSpec spec, DetectionLimits limits) {
    this.spec = spec;
    this.limits = limits;
    ClauseRule.ReplicasDiverged rule = spec.divergence();
    boolean bounded = !spec.causality().epsilon().isInfinite();
    long epsilonMicros = bounded ? spec.causality().epsilon().micros() : 0;
    this.lasting = Hlc.ofMicros(rule.longerThan().toMillis() * 1_000 + epsilonMicros);
    this.grade = bounded ? Grade.DEFINITE : Grade.POSSIBLE;
    this.searched = new Event[spec.nodes()];
    this.announced = new long[spec.nodes()];
    this.incarnations = new long[spec.nodes()];
  }

  public static DivergenceDetector create(DetectionSpec spec, DetectionLimits limits) {
    return new DivergenceDetector(spec, limits);
  }

  public static DivergenceDetector restore(
      DetectionSpec spec, DetectionLimits limits, byte[] bytes) {
    DivergenceDetector detector = new DivergenceDetector(spec, limits);
    DivergenceCodec.State state = DivergenceCodec.decode(bytes);
    detector.progress = state.progress();
    detector.tooEarly = state.tooEarly();
    state.variables().forEach(replicas -> detector.variables.put(replicas.name(), replicas));
    for (Candidate candidate : state.waiting()) {
      spec.require(candidate);
      detector.await(candidate);
    }
    return detector;
  }

  /**
   * A replica came to a state. Throws {@link IllegalArgumentException}, and changes nothing, for a
   * candidate that is not of this predicate and cluster.
   */
  @Override
  public List<Witness> opened(Candidate candidate) {
    ended = List.of();
    spec.require(candidate);
    begin(candidate.id().node(), candidate.id().incarnation());
    if (candidate.interval().start().own() <= progress) {
      // Kafka refused it before, so it is late. Later states of the node count instead.
      show(candidate);
      return List.of();
    }
    await(candidate);
    if (waiting.size() > limits.intervalsMax()) {
      tooEarly++;
      apply(waiting.remove());
    }
    return List.of();
  }

  private void await(Candidate candidate) {
    waiting.add(new Event(candidate.id(), candidate.interval().start(), candidate));
  }

  /** Never: a state ends with the next one. */
  @Override
  public List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin) {
    throw new IllegalArgumentException(
        "a replica's state ends with the next one: " + candidate.id());
  }

  @Override
  public List<Witness> restarted(int node, long incarnation, Hvc first) {
    ended = List.of();
    begin(node, incarnation);
    return List.of();
  }

  /** The records of an earlier incarnation may be incomplete. */
  private void begin(int node, long incarnation) {
    if (incarnation <= incarnations[node]) {
      return;
    }
    incarnations[node] = incarnation;
    searched[node] = null;
    waiting.removeIf(event -> event.id().node() == node && event.id().incarnation() < incarnation);
    variables.values().forEach(replicas -> replicas.forget(node, incarnation));
  }

  @Override
  public void searched(int node, long incarnation, Hvc at) {
    ended = List.of();
    begin(node, incarnation);
    if (incarnation <= announced[node] || incarnation < incarnations[node]) {
      return;
    }
    announced[node] = incarnation;
    Event all = new Event(new CandidateId(node, incarnation, 0), at, null);
    if (at.own() <= progress) {
      apply(all);
    } else {
      waiting.add(all);
    }
  }

  /** {@inheritDoc} False while a state waits to be applied, and before the first one. */
  @Override
  public boolean isPublishedByAll() {
    return waiting.isEmpty()
        && !variables.isEmpty()
        && variables.values().stream().allMatch(Replicas::areKnown);
  }

  @Override
  public List<Witness> progress(long hlc) {
    ended = List.of();
    if (hlc <= progress) {
      return List.of();
    }
    List<Witness> found = new ArrayList<>(0);
    for (Event next = waiting.peek(); next != null && next.at() <= hlc; next = waiting.peek()) {
      // An event at the very moment ends what has lasted just so long, and no longer.
      judge(next.at() - 1, found);
      apply(waiting.remove());
    }
    judge(hlc, found);
    progress = hlc;
    variables.values().removeIf(replicas -> replicas.areAbsent() && areSearched(replicas.nodes()));
    return found;
  }

  /** Whether what is forgotten of these nodes counts as absent. */
  private boolean areSearched(List<Integer> nodes) {
    return nodes.stream().allMatch(node -> searched[node] != null);
  }

  private void judge(long upTo, List<Witness> found) {
    for (Replicas replicas : variables.values()) {
      long since = replicas.unreportedSince();
      if (since <= upTo - lasting) {
        replicas.makeReport();
        found.add(new Witness(0, replicas.shown(), grade, since, since + lasting));
      }
    }
  }

  private void apply(Event event) {
    if (event.candidate() != null) {
      show(event.candidate());
      return;
    }
    searched[event.id().node()] = event;
    for (Replicas replicas : variables.values()) {
      replicas.showAbsence(event.id(), event.clock());
      takeEnded(replicas);
    }
  }

  private void show(Candidate candidate) {
    ReplicaState state = spec.stateOf(candidate);
    if (state.replicas().size() < 2 || !state.replicas().contains(candidate.id().node())) {
      // There is no other one; or it is kept for another node.
      return;
    }
    Replicas replicas = variables.get(state.variable());
    if (replicas == null || !replicas.nodes().equals(state.replicas())) {
      replicas = new Replicas(state.variable(), state.replicas());
      variables.put(state.variable(), replicas);
      for (Event all : searched) {
        if (all != null) {
          replicas.showAbsence(all.id(), all.clock());
        }
      }
    }
    replicas.show(candidate, state.digest());
    takeEnded(replicas);
  }

  private void takeEnded(Replicas replicas) {
    Ended one = replicas.takeEnded();
    if (one != null) {
      ended = Stream.concat(ended.stream(), Stream.of(one)).toList();
    }
  }

  @Override
  public List<Witness> raised() {
    return List.of();
  }

  @Override
  public List<Ended> ended() {
    return ended;
  }

  @Override
  public long wakeAt() {
    Event next = waiting.peek();
    long wake = next == null ? Long.MAX_VALUE : next.at();
    for (Replicas replicas : variables.values()) {
      long since = replicas.unreportedSince();
      wake = since == Replicas.NEVER ? wake : Math.min(wake, since + lasting);
      // By then its node may have published all, which the caller then passes in. A variable that
      // is absent on all replicas is kept only until all nodes have.
      boolean settled = replicas.areKnown() && !replicas.areAbsent();
      wake = settled ? wake : Math.min(wake, progress + Math.max(lasting, ASKED_EVERY));
    }
    return wake;
  }

  @Override
  public boolean isEmpty() {
    return waiting.isEmpty() && variables.isEmpty();
  }

  @Override
  public Overflows overflows() {
    return new Overflows(tooEarly, 0, 0);
  }

  /** See {@link DivergenceCodec}. It omits that a node has published all: nodes repeat that. */
  @Override
  public byte[] toBytes() {
    List<Candidate> states = new ArrayList<>();
    waiting.stream()
        .map(Event::candidate)
        .forEach(
            candidate -> {
              if (candidate != null) {
                states.add(candidate);
              }
            });
    return DivergenceCodec.encode(
        new DivergenceCodec.State(progress, tooEarly, List.copyOf(variables.values()), states));
  }
}
