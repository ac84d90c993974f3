package io.palinode.chaos;

import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The violations that were made on purpose, and what became of each. Guarded by itself. */
final class MadeViolations {
  /**
   * One that was made.
   *
   * @param binding of the predicate
   * @param from the HLC of the first of its two writes
   * @param to that of the second, from which on both held
   */
  record Made(String binding, long from, long to) {}

  /** A span that the monitor says it did not see all of; {@code from} 0: not known since when. */
  record Unjudged(long from, long to) {
    boolean isWithin(Unjudged other) {
      return other.from <= from && to <= other.to;
    }

    boolean touches(Made made) {
      return from <= made.to() && made.from() <= to;
    }
  }

  /** What became of them. */
  record Outcome(
      long made, long reported, long takenBack, long inLostCoverage, List<Made> missed) {}

  private final Map<Made, List<RolledBack>> rollbacksAfter = new LinkedHashMap<>();

  synchronized void made(Made made) {
    rollbacksAfter.put(made, new ArrayList<>());
  }

  /** A rollback notified the clients that made all of these. */
  synchronized void rolledBack(RolledBack rolledBack) {
    rollbacksAfter.values().forEach(later -> later.add(rolledBack));
  }

  /** The latest time at which one was made; 0: none was. */
  synchronized long last() {
    return rollbacksAfter.keySet().stream().mapToLong(Made::to).max().orElse(0);
  }

  /**
   * @param keptEpochs that opened without discarding any write
   */
  synchronized Outcome outcome(
      Set<String> reportedBindings, Set<Unjudged> unjudged, Set<Long> keptEpochs) {
    long reported = 0;
    long takenBack = 0;
    long lost = 0;
    List<Made> missed = new ArrayList<>();
    for (Map.Entry<Made, List<RolledBack>> entry : rollbacksAfter.entrySet()) {
      Made made = entry.getKey();
      if (reportedBindings.contains(made.binding())) {
        reported++;
      } else if (entry.getValue().stream()
          .anyMatch(later -> later.target() < made.to() && !keptEpochs.contains(later.toEpoch()))) {
        takenBack++;
      } else if (unjudged.stream().anyMatch(span -> span.touches(made))) {
        lost++;
      } else {
        missed.add(made);
      }
    }
    return new Outcome(rollbacksAfter.size(), reported, takenBack, lost, List.copyOf(missed));
  }
}
