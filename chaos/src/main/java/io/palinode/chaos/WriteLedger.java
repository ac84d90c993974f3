package io.palinode.chaos;

import io.palinode.voldemort.client.session.RolledBack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The writes of one client and the rollbacks that notified it, in order. From these follows what
 * the store must and must not hold. Each value is a number that is never used again. Guarded by
 * itself.
 */
final class WriteLedger {
  private enum Fate {
    /** It is in the store, or what superseded it is. */
    STANDS,
    /** The client has no answer. */
    UNKNOWN,
    /** A rollback notified the client that it discarded the write. */
    DISCARDED
  }

  private sealed interface Event {}

  private record Write(String key, long number, long acceptedAt, boolean acknowledged)
      implements Event {}

  private record Rollback(RolledBack notice) implements Event {}

  private final List<Event> events = new ArrayList<>();

  synchronized void acknowledged(String key, long number, long acceptedAt) {
    events.add(new Write(key, number, acceptedAt, true));
  }

  /** It may have been accepted. */
  synchronized void unanswered(String key, long number) {
    events.add(new Write(key, number, 0, false));
  }

  /** All writes before this are of its old epoch, or of one before. */
  synchronized void rolledBack(RolledBack notice) {
    events.add(new Rollback(notice));
  }

  /**
   * @param keptEpochs that opened without discarding any write
   */
  synchronized ChaosReport.Writes counts(Set<Long> keptEpochs) {
    long acknowledged = 0;
    long unanswered = 0;
    long takenBack = 0;
    for (Map.Entry<Write, Fate> entry : fates(keptEpochs).entrySet()) {
      acknowledged += entry.getKey().acknowledged() ? 1 : 0;
      unanswered += entry.getKey().acknowledged() ? 0 : 1;
      takenBack += entry.getValue() == Fate.DISCARDED ? 1 : 0;
    }
    return new ChaosReport.Writes(acknowledged, unanswered, takenBack);
  }

  /**
   * In words, what of {@code found} should not be; empty: all is as it must.
   *
   * @param found the numbers that all replicas together have, by key
   */
  synchronized List<String> faults(Map<String, Set<Long>> found, Set<Long> keptEpochs) {
    Map<String, Long> least = new LinkedHashMap<>();
    List<String> faults = new ArrayList<>();
    fates(keptEpochs)
        .forEach(
            (write, fate) -> {
              Set<Long> numbers = found.getOrDefault(write.key(), Set.of());
              if (fate == Fate.STANDS) {
                least.merge(write.key(), write.number(), Math::max);
              } else if (fate == Fate.DISCARDED && numbers.contains(write.number())) {
                faults.add(
                    "%s has %d, which a rollback discarded".formatted(write.key(), write.number()));
              }
            });
    least.forEach(
        (key, number) -> {
          Set<Long> numbers = found.getOrDefault(key, Set.of());
          if (numbers.stream().noneMatch(there -> there >= number)) {
            faults.add(
                "%s has %s, but %d was acknowledged and never discarded"
                    .formatted(key, numbers, number));
          }
        });
    return faults;
  }

  private Map<Write, Fate> fates(Set<Long> keptEpochs) {
    Map<Write, Fate> fates = new LinkedHashMap<>();
    for (Event event : events) {
      if (event instanceof Write write) {
        fates.put(write, write.acknowledged() ? Fate.STANDS : Fate.UNKNOWN);
      } else if (event instanceof Rollback rollback
          && !keptEpochs.contains(rollback.notice().toEpoch())) {
        fates.replaceAll((write, fate) -> after(write, fate, rollback.notice()));
      }
    }
    return fates;
  }

  private static Fate after(Write write, Fate fate, RolledBack notice) {
    if (fate != Fate.STANDS || write.acceptedAt() <= notice.target()) {
      return fate;
    }
    // A client that missed a rollback learns only the time before which all writes stand.
    boolean all = notice.toEpoch() - notice.fromEpoch() == 1;
    return all ? Fate.DISCARDED : Fate.UNKNOWN;
  }
}
