package io.palinode.benchmarks.online;

import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import io.palinode.wire.v1.Witness;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * What came of the candidates of one run: which violations arrived, and how late. A report of a
 * known violation (its grade rose) does not count. Thread-safe.
 */
final class Arrivals {
  /** Three digits, up to an hour. */
  private final Histogram micros = new Histogram(3_600_000_000L, 3);

  private final Map<Long, String> idByCandidate = new HashMap<>();
  private final OpenLoop loop;
  private final long first;
  private long extra;
  private long coverageLost;

  /**
   * @param first the number of the run's first candidate
   */
  Arrivals(OpenLoop loop, long first) {
    this.loop = loop;
    this.first = first;
  }

  /** A record of the violations' topic, received at {@code nanos}. */
  synchronized void received(ViolationRecord record, long nanos) {
    if (record.hasCoverageLost()) {
      coverageLost++;
    } else if (record.hasViolation()) {
      received(record.getViolation(), nanos);
    }
  }

  private void received(Violation violation, long nanos) {
    long[] candidates =
        violation.getWitnessesList().stream()
            .map(Witness::getWriter)
            .flatMapToLong(
                writer -> writer.isEmpty() ? LongStream.empty() : LongStream.of(number(writer)))
            .sorted()
            .toArray();
    long last = candidates.length == 0 ? -1 : candidates[candidates.length - 1];
    if (last < first) {
      return;
    }
    boolean isExpected =
        candidates.length == 2 && candidates[0] == last - 1 && MutexTraffic.completes(last);
    String known = isExpected ? idByCandidate.putIfAbsent(last, violation.getId()) : null;
    if (!isExpected || (known != null && !known.equals(violation.getId()))) {
      extra++;
    } else if (known == null) {
      micros.recordValue(Math.max(0, (nanos - loop.dueNanos(last - first)) / 1_000));
    }
  }

  private static long number(String writer) {
    return Long.parseLong(writer);
  }

  /** Violations that the run's candidates complete. */
  long expected() {
    return LongStream.range(first, first + loop.steps()).filter(MutexTraffic::completes).count();
  }

  /** Of those, the ones that arrived; each counts once. */
  synchronized long received() {
    return idByCandidate.size();
  }

  /** Violations that are none. */
  synchronized long extra() {
    return extra;
  }

  synchronized long coverageLost() {
    return coverageLost;
  }

  synchronized Latency latency() {
    return Latency.of(micros);
  }
}
