package io.palinode.orchestrator.snapshot;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.SnapshotKind;
import io.palinode.wire.v1.SnapshotOpened;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Decides when the schedule takes a snapshot, and which of its snapshots it removes. */
final class Scheduling {
  /** The least time between two attempts to open a snapshot. */
  private static final long TRY_AGAIN_MICROS = 5_000_000;

  /** A burst of violations causes one snapshot in this time. */
  private static final long BETWEEN_VIOLATIONS_MICROS = 10_000_000;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private Schedule schedule = Schedule.OFF;
  private long lastMicros = NEVER;
  private long triedMicros = NEVER;
  private long triggeredMicros = NEVER;

  Schedule schedule() {
    return schedule;
  }

  void follow(Schedule latest) {
    schedule = latest;
  }

  void opened(SnapshotOpened opened, long atMicros) {
    if (opened.getScheduled() && isByTime(opened)) {
      lastMicros = Math.max(lastMicros, atMicros);
      triedMicros = NEVER;
    }
  }

  /** Whether to try a snapshot now. Each true answer counts as an attempt. */
  boolean isDue(long nowMicros) {
    boolean isDue =
        schedule.every() != null
            && nowMicros - lastMicros >= schedule.everyMicros()
            && nowMicros - triedMicros >= TRY_AGAIN_MICROS;
    triedMicros = isDue ? nowMicros : triedMicros;
    return isDue;
  }

  /**
   * Whether to take a snapshot for a violation found now. Each true answer counts as an attempt.
   */
  boolean isTriggered(long nowMicros) {
    boolean isTriggered =
        schedule.onViolation() && nowMicros - triggeredMicros >= BETWEEN_VIOLATIONS_MICROS;
    triggeredMicros = isTriggered ? nowMicros : triggeredMicros;
    return isTriggered;
  }

  /** The names of snapshots to remove. The latest failed one is kept for display. */
  List<String> expired(Collection<Snapshot> known, long nowMicros) {
    List<String> expired = new ArrayList<>();
    if (schedule.isOff()) {
      return expired;
    }
    for (boolean byTime : new boolean[] {true, false}) {
      List<Snapshot> latestFirst =
          known.stream()
              .filter(s -> s.opened().getScheduled() && isByTime(s.opened()) == byTime)
              .sorted(Comparator.comparingLong(Snapshot::number).reversed())
              .toList();
      int kept = 0;
      for (Snapshot snapshot : latestFirst) {
        boolean isKept =
            snapshot.isStanding()
                ? kept < schedule.keep() && !isOld(snapshot, nowMicros)
                : snapshot.equals(latestFirst.get(0));
        kept += isKept && snapshot.isStanding() ? 1 : 0;
        if (!isKept) {
          expired.add(snapshot.id());
        }
      }
    }
    return expired;
  }

  private boolean isOld(Snapshot snapshot, long nowMicros) {
    return nowMicros - Hlc.micros(snapshot.opened().getHlc()) > schedule.ageMaxMicros();
  }

  private static boolean isByTime(SnapshotOpened opened) {
    return opened.getKind() == SnapshotKind.SNAPSHOT_KIND_INSTANT;
  }
}
