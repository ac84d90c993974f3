package io.palinode.cli.chaos;

import io.palinode.voldemort.client.RolledBack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one client has written and been told, in order; from it follows what the store must hold and
 * must not. Each value is a number that is never used again. Guarded by itself.
 */
final class WriteLedger {
  private enum Fate {
    /** It is in the store, or what superseded it is. */
    STANDS,
    /** The client was not told. */
    UNKNOWN,
    /** The client was told that it was taken back. */
    TAKEN_BACK
  }

  private sealed interface Event {}

  private record Write(String key, long number, long acceptedAt, boolean acknowledged)
      implements Event {}

  private record Rollback(RolledBack told) implements Event {}

  private final List<Event> events = new ArrayList<>();

  /** How many writes had which end. */
  record Counts(long acknowledged, long unanswered, long takenBack) {
    Counts plus(Counts other) {
      return new Counts(
          acknowledged + other.acknowledged,
          unanswered + other.unanswered,
          takenBack + other.takenBack);
    }
  }

  synchronized void acknowledged(String key, long number, long acceptedAt) {
    events.add(new Write(key, number, acceptedAt, true));
  }

  /** It may have been accepted. */
  synchronized void unanswered(String key, long number) {
    events.add(new Write(key, number, 0, false));
  }

  /** All writes before this are of its old epoch, or of one before. */
  synchronized void rolledBack(RolledBack told) {
    events.add(new Rollback(told));
  }

  /**
   * @param keptEpochs that began without anything having been taken back, whatever was to be
   */
  synchronized Counts counts(Set<Long> keptEpochs) {
    long acknowledged = 0;
    long unanswered = 0;
    long takenBack = 0;
    for (Map.Entry<Write, Fate> entry : fates(keptEpochs).entrySet()) {
      acknowledged += entry.getKey().acknowledged() ? 1 : 0;
      unanswered += entry.getKey().acknowledged() ? 0 : 1;
      takenBack += entry.getValue() == Fate.TAKEN_BACK ? 1 : 0;
    }
    return new Counts(acknowledged, unanswered, takenBack);
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
              } else if (fate == Fate.TAKEN_BACK && numbers.contains(write.number())) {
                faults.add(
                    "%s has %d, which was taken back".formatted(write.key(), write.number()));
              }
            });
    least.forEach(
        (key, number) -> {
          Set<Long> numbers = found.getOrDefault(key, Set.of());
          if (numbers.stream().noneMatch(there -> there >= number)) {
            faults.add(
                "%s has %s, and %d was acknowledged and never taken back"
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
          && !keptEpochs.contains(rollback.told().toEpoch())) {
        fates.replaceAll((write, fate) -> after(write, fate, rollback.told()));
      }
    }
    return fates;
  }

  private static Fate after(Write write, Fate fate, RolledBack told) {
    if (fate != Fate.STANDS || write.acceptedAt() <= told.target()) {
      return fate;
    }
    // Who missed a rollback is told of a time before which all stands, and no more.
    boolean all = told.toEpoch() - told.fromEpoch() == 1;
    return all ? Fate.TAKEN_BACK : Fate.UNKNOWN;
  }
}
