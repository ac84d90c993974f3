package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.detection.within.Deadlines;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detection of {@code within}: a term became true, and another did not within a time after it.
 * After progress W, all violations with {@code violate <= W} are reported, see {@link Deadlines}.
 * Their grades do not rise, and they have no end.
 *
 * <p>A report needs all answers. It is not known what is open at a node before the node has
 * published all that holds there ({@link #searched}), and after a restart until it has again. A
 * trigger that begins meanwhile, and is not answered, is counted in {@link Overflows}, as is one
 * that {@link #missed} touches. Not thread-safe.
 */
public final class WithinDetector implements Detector {
  private final DetectionSpec spec;
  private final Incarnations incarnations;
  private final Deadlines deadlines;

  private WithinDetector(DetectionSpec spec, Incarnations incarnations, Deadlines deadlines) {
    this.spec = spec;
    this.incarnations = incarnations;
    this.deadlines = deadlines;
  }

  public static WithinDetector create(DetectionSpec spec, DetectionLimits limits) {
    Deadlines deadlines = new Deadlines(spec, limits.intervalsMax());
    for (int node = 0; node < spec.nodes(); node++) {
      deadlines.unsure(node, 0);
    }
    return new WithinDetector(spec, new Incarnations(spec.nodes()), deadlines);
  }

  /** As {@link Detector#restore}. */
  public static WithinDetector restore(DetectionSpec spec, DetectionLimits limits, byte[] bytes) {
    WithinCodec.State state = WithinCodec.decode(spec, bytes);
    return new WithinDetector(
        spec, state.incarnations(), new Deadlines(spec, limits.intervalsMax(), state.deadlines()));
  }

  @Override
  public List<Witness> opened(Candidate candidate) {
    spec.require(candidate);
    if (!candidate.interval().isOpen()) {
      throw new IllegalArgumentException("an interval opens without an end: " + candidate);
    }
    if (isOfNewest(candidate, candidate.interval().start())) {
      deadlines.began(candidate);
    }
    return List.of();
  }

  @Override
  public List<Witness> closed(Candidate candidate, String endedBy, @Nullable Integer origin) {
    spec.require(candidate);
    Hvc end = candidate.interval().end();
    if (end == null) {
      throw new IllegalArgumentException("an interval closes with an end: " + candidate);
    }
    if (isOfNewest(candidate, end)) {
      deadlines.ended(candidate);
    }
    return List.of();
  }

  private boolean isOfNewest(Candidate candidate, Hvc clock) {
    if (incarnations.isStale(candidate.id())) {
      return false;
    }
    int node = candidate.id().node();
    if (incarnations.begin(candidate.id())) {
      // Answers of the earlier incarnation ended before: see restarted.
      deadlines.unsure(node, clock.own());
    }
    return true;
  }

  /**
   * {@inheritDoc} Also if an event of that incarnation came first: it may be later than the first
   * record, until which answers held.
   */
  @Override
  public List<Witness> restarted(int node, long incarnation, Hvc first) {
    if (incarnation >= incarnations.newest(node)) {
      incarnations.restore(node, incarnation);
      deadlines.unsure(node, first.own());
    }
    deadlines.endEarlier(
        node,
        incarnation,
        answer -> {
          Hvc start = answer.interval().start();
          return answer.over(new Interval(start, Incarnations.rightBefore(first, start)));
        });
    return List.of();
  }

  @Override
  public void searched(int node, long incarnation, Hvc at) {
    if (incarnations.newest(node) == 0) {
      incarnations.restore(node, incarnation);
    }
    if (incarnations.newest(node) == incarnation) {
      deadlines.sure(node, at.own());
    }
  }

  @Override
  public void missed(long from, long to) {
    deadlines.missed(from, to);
  }

  @Override
  public void unpublished(int node, long since, long until) {
    if (until == Long.MAX_VALUE) {
      deadlines.unsureOfEnds(node, since);
    } else {
      deadlines.unpublished(since, until);
    }
  }

  /** Callers pass no search from now on: it does not publish again what was lost. */
  @Override
  public void lost(long hlc) {
    deadlines.missed(hlc, hlc);
    for (int node = 0; node < spec.nodes(); node++) {
      deadlines.unsure(node, hlc);
    }
  }

  /** Never: a node publishes an answer once. */
  @Override
  public boolean isPublishedByAll() {
    return false;
  }

  @Override
  public List<Witness> progress(long hlc) {
    List<Witness> found = new ArrayList<>(0);
    deadlines.judge(hlc, found::add);
    return found;
  }

  @Override
  public List<Witness> raised() {
    return List.of();
  }

  @Override
  public List<Ended> ended() {
    return List.of();
  }

  @Override
  public long wakeAt() {
    return deadlines.wakeAt();
  }

  /** {@inheritDoc} Answers alone wait for nothing. */
  @Override
  public boolean isWaiting() {
    return deadlines.waiting() > 0;
  }

  @Override
  public boolean isEmpty() {
    return deadlines.isEmpty();
  }

  @Override
  public Overflows overflows() {
    return new Overflows(deadlines.dropped(), 0, 0, deadlines.unjudged());
  }

  /** See {@link WithinCodec}. */
  @Override
  public byte[] toBytes() {
    return WithinCodec.encode(new WithinCodec.State(incarnations, deadlines.state()), spec.nodes());
  }
}
