package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detection of clauses that must hold for some time ({@code for}). Each run of a term ({@link
 * TermRuns}) that lasts for the time is an interval of an {@link InstanceDetector}, which counts
 * from {@link DetectionSpec#countsFrom} on. Such intervals are concurrent exactly if the runs
 * overlap for the time. So reports are sound and covering as those of that detector are.
 *
 * <p>Whether a run lasts is known once all nodes have passed that HLC. So all events wait for the
 * progress and are taken in the order of their HLCs; after progress W, all violations with {@code
 * violate <= W} are reported. A restart of a node ends its runs: what held meanwhile is not known.
 *
 * <p>Bounded: beyond {@link DetectionLimits#intervalsMax} events that wait and runs that do not
 * count yet, a run is forgotten, which is counted as an interval that was not judged. Not
 * thread-safe.
 */
public final class LastingDetector implements Detector {
  private final DetectionSpec spec;
  private final DetectionLimits limits;
  private final InstanceDetector counted;
  private final Incarnations incarnations;
  private final TermRuns runs;
  private final WaitingEvents waiting;
  private long progress;
  private long lost;
  // Of the current call.
  private List<Witness> found = List.of();
  private List<Witness> raised = List.of();
  private List<Ended> ended = List.of();

  /** What a detector is made of, for {@link LastingCodec}. */
  record State(
      long progress,
      long lost,
      Incarnations incarnations,
      TermRuns runs,
      WaitingEvents waiting,
      byte[] counted) {}

  private LastingDetector(
      DetectionSpec spec, DetectionLimits limits, InstanceDetector counted, State state) {
    this.spec = spec;
    this.limits = limits;
    this.counted = counted;
    this.progress = state.progress();
    this.lost = state.lost();
    this.incarnations = state.incarnations();
    this.runs = state.runs();
    this.waiting = state.waiting();
  }

  public static LastingDetector create(DetectionSpec spec, DetectionLimits limits) {
    return new LastingDetector(
        spec,
        limits,
        InstanceDetector.create(spec, limits),
        new State(
            0,
            0,
            new Incarnations(spec.nodes()),
            new TermRuns(spec),
            new WaitingEvents(),
            new byte[0]));
  }

  /** As {@link Detector#restore}. */
  public static LastingDetector restore(DetectionSpec spec, DetectionLimits limits, byte[] bytes) {
    State state = LastingCodec.decode(spec, bytes);
    return new LastingDetector(
        spec, limits, InstanceDetector.restore(spec, limits, state.counted()), state);
  }

  @Override
  public List<Witness> opened(Candidate candidate) {
    spec.require(candidate);
    if (!candidate.interval().isOpen()) {
      throw new IllegalArgumentException("an interval opens without an end: " + candidate);
    }
    return take(candidate, "", candidate.interval().start());
  }

  @Override
  public List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin) {
    spec.require(candidate);
    Hvc end = candidate.interval().end();
    if (end == null) {
      throw new IllegalArgumentException("an interval closes with an end: " + candidate);
    }
    return take(candidate, endedBy, end);
  }

  private List<Witness> take(Candidate candidate, String endedBy, Hvc clock) {
    begin();
    waiting.add(candidate.id(), candidate, endedBy, clock);
    keepWithinLimit();
    // Mostly it waits; one that is late does not.
    advance();
    return found;
  }

  @Override
  public List<Witness> restarted(int node, long incarnation, Hvc first) {
    begin();
    boolean isNews =
        !isEmpty()
            && !incarnations.isKnown(node, incarnation)
            && !waiting.begins(node, incarnation);
    if (isNews) {
      waiting.add(new CandidateId(node, incarnation, 0), null, "", first);
      advance();
    }
    return found;
  }

  /** Changes nothing: an interval that was not published is not open. */
  @Override
  public void searched(int node, long incarnation, Hvc at) {
    begin();
  }

  @Override
  public List<Witness> progress(long hlc) {
    begin();
    if (hlc > progress) {
      progress = hlc;
      advance();
      add(counted.progress(hlc));
    }
    return found;
  }

  private void begin() {
    found = List.of();
    raised = List.of();
    ended = List.of();
  }

  /** Takes what all nodes have passed, in its order. */
  private void advance() {
    for (long at = nextAt(); at <= progress; at = nextAt()) {
      decideBefore(at);
      if (runs.dueAt() < waiting.nextAt() || waiting.isNextAnEndAt(runs.dueAt())) {
        add(counted.opened(runs.nextCounts()));
      } else {
        pass(waiting.next());
      }
    }
  }

  private long nextAt() {
    return Math.min(runs.dueAt(), waiting.nextAt());
  }

  /**
   * All before {@code hlc} was taken, and pairs are decided first that this decides. Otherwise a
   * search would still await nodes for intervals that began later.
   */
  private void decideBefore(long hlc) {
    if (counted.wakeAt() < hlc) {
      add(counted.progress(hlc - 1));
    }
  }

  private void pass(WaitingEvents.Event event) {
    CandidateId id = event.id();
    Candidate candidate = event.candidate();
    if (incarnations.isStale(id)) {
      end(candidate == null ? null : runs.notContinued(candidate));
      return;
    }
    if (incarnations.begin(id)) {
      runs.endEarlier(id.node(), id.incarnation());
      add(counted.restarted(id.node(), id.incarnation(), event.clock()));
    }
    if (candidate != null && spec.clauses().get(candidate.clause()).lasts()) {
      passOfRun(candidate, event);
    } else if (candidate != null) {
      add(
          candidate.interval().isOpen()
              ? counted.opened(candidate)
              : counted.closed(candidate, event.endedBy(), null));
    }
  }

  private void passOfRun(Candidate candidate, WaitingEvents.Event event) {
    if (candidate.interval().isOpen()) {
      end(runs.opened(candidate));
    } else {
      String by = waiting.opens(candidate, event.endedBy()) ? event.endedBy() : "";
      end(runs.closed(candidate, event.clock(), by));
    }
  }

  private void end(@Nullable Candidate run) {
    if (run != null) {
      add(counted.closed(run, "", null));
    }
  }

  private void add(List<Witness> more) {
    found = joined(found, more);
    raised = joined(raised, counted.raised());
    ended = joined(ended, counted.ended());
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    if (some.isEmpty() || more.isEmpty()) {
      return some.isEmpty() ? more : some;
    }
    List<T> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private void keepWithinLimit() {
    while (waiting.size() + runs.young() > limits.intervalsMax()) {
      lost++;
      if (runs.young() > 0) {
        runs.forgetYoung();
        continue;
      }
      Candidate opening = waiting.forgetOpening();
      if (opening == null) {
        return;
      }
      end(runs.notContinued(opening));
    }
  }

  @Override
  public List<Witness> raised() {
    return raised;
  }

  @Override
  public List<Ended> ended() {
    return ended;
  }

  @Override
  public long wakeAt() {
    return Math.min(nextAt(), counted.wakeAt());
  }

  @Override
  public boolean isEmpty() {
    return waiting.isEmpty() && runs.isEmpty() && counted.isEmpty();
  }

  @Override
  public Overflows overflows() {
    Overflows of = counted.overflows();
    return new Overflows(of.intervals() + lost, of.reports(), of.searches());
  }

  /** Compact, versioned bytes of the whole state: see {@link LastingCodec}. */
  @Override
  public byte[] toBytes() {
    return LastingCodec.encode(
        spec.nodes(), new State(progress, lost, incarnations, runs, waiting, counted.toBytes()));
  }
}
