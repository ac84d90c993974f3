package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decides which reports of {@code replicas: any} are phantoms: those whose intervals are not
 * concurrent once the intervals that one version made on its replicas are joined, as {@code
 * replicas: first} joins them. For many instances at once. Pure; not thread-safe.
 *
 * <ul>
 *   <li>A report is decided once every event up to its {@link Witness#violate} has arrived: by then
 *       the joined starts are known, since a version is accepted before its copies are, and an end
 *       that is still to come is not before any of them.
 *   <li>Bounded: of {@code versionsMax} versions it is known when they began and ended; the one
 *       without an event for longest is forgotten first. {@code reportsMax} reports wait; of more,
 *       the new ones are not decided. What cannot be decided is {@link Outcome#UNKNOWN}.
 * </ul>
 *
 * An event costs a look-up; a report costs the square of its terms when it is decided.
 *
 * @param <S> what distinguishes versions: an instance, its predicate's version and the epoch
 */
public final class Phantoms<S> {
  private static final Comparator<Hvc> EARLIEST =
      Comparator.comparingLong(Hvc::own).thenComparingInt(Hvc::owner);

  private final int versionsMax;
  private final int reportsMax;
  private final Map<Key<S>, Joined> versions;
  private final PriorityQueue<Report<S>> waiting =
      new PriorityQueue<>(Comparator.comparingLong(report -> report.witness().violate()));

  /** What a report turned out to be. */
  public enum Outcome {
    PHANTOM,
    /** It is a violation with joined replicas too. */
    REAL,
    /** What its versions did is not known any more, or never was. */
    UNKNOWN
  }

  /** A report and what it turned out to be. */
  public record Decided<S>(S scope, Witness witness, Outcome outcome) {}

  private record Report<S>(S scope, Causality causality, Witness witness) {}

  /**
   * @param name the version; of an interval whose version is not known, its own id
   */
  private record Key<S>(S scope, int clause, int term, String member, Object name) {}

  /** The interval of one version over all replicas, as far as its events have arrived. */
  private static final class Joined {
    private @Nullable Hvc start;
    private boolean accepted;
    private @Nullable Hvc end;

    /** Where the version was accepted goes before where it was found; then the earliest. */
    void start(Hvc at, boolean isAccepted) {
      Hvc known = start;
      boolean isBetter =
          isAccepted == accepted ? known == null || EARLIEST.compare(at, known) < 0 : isAccepted;
      if (known == null || isBetter) {
        start = at;
        accepted = isAccepted;
      }
    }

    void end(Hvc at) {
      Hvc known = end;
      if (known == null || EARLIEST.compare(at, known) < 0) {
        end = at;
      }
    }

    @Nullable Interval interval() {
      Hvc from = start;
      if (from == null) {
        return null;
      }
      Hvc to = end;
      return new Interval(from, to != null && FirstReplica.isEarlier(from, null, to) ? to : null);
    }
  }

  public Phantoms(int versionsMax, int reportsMax) {
    if (versionsMax < 1 || reportsMax < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: versionsMax=" + versionsMax + " reportsMax=" + reportsMax);
    }
    this.versionsMax = versionsMax;
    this.reportsMax = reportsMax;
    this.versions =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Key<S>, Joined> eldest) {
            return size() > Phantoms.this.versionsMax;
          }
        };
  }

  /** An opening or, with an end, a closing. */
  public void observed(S scope, Candidate candidate) {
    Hvc end = candidate.interval().end();
    if (end == null && candidate.isCopy()) {
      return;
    }
    Joined joined = versions.computeIfAbsent(key(scope, candidate), unknown -> new Joined());
    if (end == null) {
      joined.start(candidate.interval().start(), candidate.origin() != null);
    } else {
      joined.end(end);
    }
  }

  /** A report of {@code replicas: any}, once. False when there is no room for it. */
  public boolean reported(S scope, Causality causality, Witness witness) {
    return waiting.size() < reportsMax && waiting.add(new Report<>(scope, causality, witness));
  }

  /** Every event of every node with an own HLC at or before {@code hlc} has arrived. */
  public List<Decided<S>> passed(long hlc) {
    if (nextAt() > hlc) {
      return List.of();
    }
    List<Decided<S>> decided = new ArrayList<>();
    while (nextAt() <= hlc && !waiting.isEmpty()) {
      Report<S> report = waiting.remove();
      decided.add(new Decided<>(report.scope(), report.witness(), decide(report)));
    }
    return decided;
  }

  /** The progress with which the next report is decided; Long.MAX_VALUE when none waits. */
  public long nextAt() {
    Report<S> next = waiting.peek();
    return next == null ? Long.MAX_VALUE : next.witness().violate();
  }

  private Outcome decide(Report<S> report) {
    List<Interval> intervals = new ArrayList<>();
    for (Candidate candidate : report.witness().candidates()) {
      Joined joined = versions.get(key(report.scope(), candidate));
      Interval interval = joined == null ? null : joined.interval();
      if (interval == null) {
        return Outcome.UNKNOWN;
      }
      intervals.add(interval);
    }
    return areConcurrent(report.causality(), intervals) ? Outcome.REAL : Outcome.PHANTOM;
  }

  private static boolean areConcurrent(Causality causality, List<Interval> intervals) {
    for (int i = 0; i < intervals.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (causality.order(intervals.get(i), intervals.get(j)) != Order.CONCURRENT) {
          return false;
        }
      }
    }
    return true;
  }

  private static <S> Key<S> key(S scope, Candidate candidate) {
    Object name = candidate.version().isEmpty() ? candidate.id() : candidate.version();
    return new Key<>(scope, candidate.clause(), candidate.term(), candidate.member(), name);
  }
}
