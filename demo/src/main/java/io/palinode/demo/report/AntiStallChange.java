package io.palinode.demo.report;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.google.protobuf.ByteString;
import io.palinode.demo.watch.Watcher.EndedRollback;
import io.palinode.orchestrator.violations.SequentialSpan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * A moment at which more, or fewer, keys began to be used with R + W > N because of rollbacks.
 *
 * @param seconds since the run began
 * @param keys in force from then on
 * @param instances of predicates whose keys they are
 * @param allKeys all are, whatever the others say
 * @param rollbacks that had ended by then
 */
@JsonPropertyOrder({"seconds", "keys", "instances", "allKeys", "rollbacks"})
public record AntiStallChange(
    double seconds, long keys, long instances, boolean allKeys, long rollbacks) {
  private static final double MICROS_PER_SECOND = 1e6;

  /** Those in {@code (beginMicros, endMicros]}, in order of time. */
  public static List<AntiStallChange> of(
      Collection<SequentialSpan> spans,
      Collection<EndedRollback> rollbacks,
      long beginMicros,
      long endMicros) {
    TreeSet<Long> moments = new TreeSet<>();
    for (SequentialSpan span : spans) {
      moments.add(span.sinceMicros());
      moments.add(span.untilMicros());
    }
    List<AntiStallChange> changes = new ArrayList<>();
    for (long at : moments.subSet(beginMicros, false, endMicros, true)) {
      AntiStallChange now = at(spans, rollbacks, beginMicros, at);
      AntiStallChange before =
          changes.isEmpty()
              ? at(spans, rollbacks, beginMicros, beginMicros)
              : changes.get(changes.size() - 1);
      if (now.keys != before.keys || now.allKeys != before.allKeys) {
        changes.add(now);
      }
    }
    return changes;
  }

  private static AntiStallChange at(
      Collection<SequentialSpan> spans,
      Collection<EndedRollback> rollbacks,
      long beginMicros,
      long atMicros) {
    List<SequentialSpan> inForce =
        spans.stream()
            .filter(span -> span.sinceMicros() <= atMicros && span.isInForce(atMicros))
            .toList();
    TreeSet<ByteString> keys = new TreeSet<>(ByteString.unsignedLexicographicalComparator());
    inForce.forEach(span -> keys.addAll(span.keys()));
    return new AntiStallChange(
        (atMicros - beginMicros) / MICROS_PER_SECOND,
        keys.size(),
        inForce.stream().filter(span -> !span.isAll()).count(),
        inForce.stream().anyMatch(SequentialSpan::isAll),
        rollbacks.stream().filter(rollback -> rollback.endedMicros() <= atMicros).count());
  }
}
