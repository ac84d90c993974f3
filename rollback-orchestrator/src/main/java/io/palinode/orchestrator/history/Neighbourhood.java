package io.palinode.orchestrator.history;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The other intervals of a violation's clause and instance near it, in its epoch. Not thread-safe.
 * The intervals are complete after all candidates of the span were read in the order of their
 * topic, except those that began before the span and did not end in it.
 */
public final class Neighbourhood {
  /** The intervals that are shown: the nearest to the violation. */
  public static final int SHOWN_MAX = 200;

  static final int KEPT_MAX = 10_000;
  private static final long AROUND_MICROS = 2_000_000;

  /** If its first interval is older, the span begins this long before the violation. */
  private static final long BEFORE_MAX_MICROS = 60_000_000;

  private final Violation violation;
  private final Set<Position> witnesses;
  private final Map<Position, Witness> intervals = new HashMap<>();
  private final long from;
  private final long to;
  private boolean complete = true;

  private record Position(int node, long incarnation, long sequence) {}

  public Neighbourhood(Violation violation) {
    this.violation = violation;
    this.witnesses =
        violation.getWitnessesList().stream()
            .map(w -> new Position(w.getNode(), w.getIncarnation(), w.getSequence()))
            .collect(Collectors.toSet());
    long violate = Hlc.micros(violation.getViolate());
    long first = Math.max(Hlc.micros(violation.getFirst()), violate - BEFORE_MAX_MICROS);
    this.from = Hlc.ofMicros(Math.max(0, first - AROUND_MICROS));
    this.to = Hlc.ofMicros(violate + AROUND_MICROS);
  }

  /** The Kafka key of its candidates. */
  public byte[] key() {
    return CandidateRecords.keyBytes(
        CandidateRecords.instanceKey(violation.getPredicate(), violation.getBinding()));
  }

  /** The start of the span, an HLC. */
  public long from() {
    return from;
  }

  /** The end of the span, an HLC. */
  public long to() {
    return to;
  }

  /** Whether no record of the span is missing, and no interval was left out. */
  public boolean isComplete() {
    return complete && intervals.size() <= SHOWN_MAX;
  }

  /** Some records of the span cannot be read. */
  public void incomplete() {
    complete = false;
  }

  /** Reads a candidate of any kind. Throws {@link IllegalArgumentException} for a bad clock. */
  public void read(CandidateRecord record) {
    if (record.getEpoch() != violation.getEpoch()) {
      return;
    }
    if (record.hasOpened()) {
      opened(record, record.getOpened());
    } else if (record.hasClosed()) {
      closed(record, record.getClosed());
    }
  }

  private void opened(CandidateRecord record, Opened opened) {
    if (!opened.hasDigest() && own(opened.getStart()) <= to) {
      Witness.Builder interval =
          interval(record, record.getSequence(), opened.getInterval(), opened.getStart())
              .addAllValues(opened.getValuesList())
              .setWriter(opened.getWriter());
      put(opened.getInterval(), interval.build());
    }
  }

  /** Its opening may be before the span. */
  private void closed(CandidateRecord record, Closed closed) {
    Position position =
        new Position(record.getNode(), record.getIncarnation(), closed.getOpenedSequence());
    Witness known = intervals.get(position);
    if (own(closed.getEnd()) < from) {
      intervals.remove(position);
    } else if (known != null) {
      intervals.put(position, known.toBuilder().setEnd(closed.getEnd()).build());
    } else if (own(closed.getStart()) <= to) {
      Witness.Builder interval =
          interval(record, closed.getOpenedSequence(), closed.getInterval(), closed.getStart())
              .addValues(closed.getOpenedBy())
              .setEnd(closed.getEnd());
      put(closed.getInterval(), interval.build());
    }
  }

  private static Witness.Builder interval(
      CandidateRecord record, long sequence, IntervalRef ref, ByteString start) {
    Witness.Builder interval =
        Witness.newBuilder()
            .setTerm(ref.getTerm())
            .setNode(record.getNode())
            .setIncarnation(record.getIncarnation())
            .setSequence(sequence)
            .setStart(start);
    return ref.hasMember() ? interval.setMember(ref.getMember()) : interval;
  }

  private void put(IntervalRef ref, Witness interval) {
    Position position =
        new Position(interval.getNode(), interval.getIncarnation(), interval.getSequence());
    boolean isOfClause =
        ref.getPredicate().equals(violation.getPredicate())
            && ref.getPredicateVersion() == violation.getPredicateVersion()
            && ref.getBinding().equals(violation.getBinding())
            && ref.getClause() == violation.getClause();
    if (!isOfClause || witnesses.contains(position)) {
      return;
    }
    if (intervals.size() < KEPT_MAX) {
      intervals.put(position, interval);
    } else {
      complete = false;
    }
  }

  /** The nearest ones, by their starts. */
  public List<Witness> nearest() {
    return intervals.values().stream()
        .sorted(Comparator.comparingLong(this::distance))
        .limit(SHOWN_MAX)
        .sorted(
            Comparator.comparingLong((Witness w) -> own(w.getStart()))
                .thenComparingInt(Witness::getNode))
        .toList();
  }

  /** From the time at which all witnesses held; 0 inside the interval. */
  private long distance(Witness interval) {
    long violate = violation.getViolate();
    long before = own(interval.getStart()) - violate;
    long after = interval.hasEnd() ? violate - own(interval.getEnd()) : 0;
    return Math.max(0, Math.max(before, after));
  }

  private static long own(ByteString clock) {
    return CandidateRecords.decode(clock).own();
  }
}
