package io.palinode.examples.balances;

import io.palinode.examples.balances.SessionLog.Entry;
import io.palinode.examples.balances.SessionLog.Read;
import io.palinode.voldemort.protocol.VectorClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the clients' logs show: updates that were lost, and reads that went back.
 *
 * @param logs of all clients that wrote the balances
 * @param found the balances at the end, by key, without those that are absent
 * @param unstated the stale reads whose evidence reached no node, by the clients' own counters
 */
public record Books(List<SessionLog> logs, Map<String, String> found, long unstated) {
  public Books {
    logs = List.copyOf(logs);
    found = Map.copyOf(found);
  }

  /** Each update adds 1. */
  public long expected() {
    return logs.stream().mapToLong(log -> log.puts().size()).sum();
  }

  public long total() {
    return found.values().stream().mapToLong(Balance::amount).sum();
  }

  /** When each balance was accepted, by its text. */
  public Map<String, Long> acceptedAt() {
    Map<String, Long> times = new HashMap<>();
    logs.forEach(log -> log.puts().forEach(put -> times.put(put.value(), put.acceptedAt())));
    return times;
  }

  /**
   * The reads that returned a balance which the client had met before, and meanwhile met a later
   * one. Later is what was accepted later; if both clocks are known, its clock is also greater.
   */
  public List<Read> wentBack(SessionLog log) {
    Map<String, Long> times = acceptedAt();
    Map<String, List<Met>> metByKey = new HashMap<>();
    List<Read> wentBack = new ArrayList<>();
    for (Entry entry : log.entries()) {
      if (entry.value() == null) {
        continue;
      }
      List<Met> met = metByKey.computeIfAbsent(entry.key(), key -> new ArrayList<>());
      Met now = Met.of(entry, times.getOrDefault(entry.value(), 0L));
      if (entry instanceof Read read
          && met.stream().anyMatch(each -> each.isSame(now) && each.isLeft)) {
        wentBack.add(read);
      }
      met.forEach(each -> each.isLeft |= now.isLaterThan(each));
      if (met.stream().noneMatch(now::isSame)) {
        met.add(now);
      }
    }
    return wentBack;
  }

  /** A balance that a client read or wrote. */
  private static final class Met {
    private final String value;
    private final @Nullable VectorClock clock;
    private final long acceptedAt;

    /** Whether the client has met a later one since. */
    private boolean isLeft;

    private Met(String value, @Nullable VectorClock clock, long acceptedAt) {
      this.value = value;
      this.clock = clock;
      this.acceptedAt = acceptedAt;
    }

    static Met of(Entry entry, long acceptedAt) {
      VectorClock clock = entry instanceof Read read ? read.clock() : null;
      return new Met(Objects.requireNonNull(entry.value()), clock, acceptedAt);
    }

    boolean isSame(Met other) {
      return value.equals(other.value) && Objects.equals(clock, other.clock);
    }

    boolean isLaterThan(Met other) {
      return (clock != null && other.clock != null)
          ? other.clock.compare(clock) == VectorClock.Relation.BEFORE
          : acceptedAt > other.acceptedAt;
    }
  }
}
