package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The alerts whose cause lasts: when to repeat them, and when to announce their end. Pure; not
 * thread-safe. Beyond {@link #OPEN_MAX}, a further alert is sent once, and its end is not.
 */
final class OpenAlerts {
  static final int OPEN_MAX = 1_000;

  /** Destinations that forget an alert receive it again after this time. */
  static final long REPEAT_MICROS = micros(Duration.ofMinutes(1));

  /** Such a destination may forget an alert this long after it was sent. */
  static final Duration EXPIRES = Duration.ofMinutes(4);

  /**
   * An Alertmanager waits for some time before its first notification, and drops an alert that has
   * ended by then. So it receives no end before this time.
   */
  static final long FIRES_MIN_MICROS = micros(Duration.ofMinutes(1));

  private final Map<Key, Open> open = new LinkedHashMap<>();

  /** Which causes lasted at the start, and when causes end. */
  interface Causes {
    /** Alerts of an earlier run whose cause lasts. */
    List<Alert> earlier();

    /** The time at which the cause of an open alert ended; 0: it has not. */
    long endMicros(Alert alert, long nowMicros);
  }

  /** Which destinations receive an alert. */
  enum To {
    ALL,
    /** Those that forget an alert that is not repeated. */
    FORGETFUL,
    /** All others. */
    OTHERS
  }

  record Due(Alert alert, To to) {}

  private record Key(Alert.Kind kind, Map<String, String> labels) {
    static Key of(Alert alert) {
      return new Key(alert.kind(), alert.labels());
    }
  }

  private record Open(Alert alert, long raisedMicros, long sentMicros) {}

  /** Adds an alert, or the end of one, and returns what to send now. */
  List<Due> raise(Alert alert, long nowMicros) {
    if (!alert.kind().lasts()) {
      return List.of(new Due(alert, To.ALL));
    }
    Key key = Key.of(alert);
    Open known = open.get(key);
    if (alert.isEnded()) {
      return end(key, known, alert);
    }
    Open now =
        known == null || known.alert().isEnded()
            ? new Open(alert, nowMicros, nowMicros)
            : new Open(startedWith(known.alert(), alert), known.raisedMicros(), nowMicros);
    if (known != null || open.size() < OPEN_MAX) {
      open.put(key, now);
    }
    return List.of(new Due(now.alert(), To.ALL));
  }

  /** Adds an alert of an earlier run. Only forgetful destinations receive it again. */
  void resume(Alert alert, long nowMicros) {
    if (open.size() < OPEN_MAX) {
      open.putIfAbsent(Key.of(alert), new Open(alert, nowMicros, nowMicros - REPEAT_MICROS));
    }
  }

  /** Whether the alert was raised and its end was not announced. */
  boolean isOpen(Alert alert) {
    Open known = open.get(Key.of(alert));
    return known != null && !known.alert().isEnded();
  }

  int size() {
    return open.size();
  }

  /** The ends and repetitions that are due. */
  List<Due> due(long nowMicros, Causes causes) {
    List<Due> due = new ArrayList<>();
    for (Iterator<Map.Entry<Key, Open>> all = open.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Key, Open> entry = all.next();
      Open known = entry.getValue();
      if (!known.alert().isEnded()) {
        long end = causes.endMicros(known.alert(), nowMicros);
        if (end != 0) {
          Alert ended = known.alert().endedAt(end);
          due.add(new Due(ended, To.OTHERS));
          known = new Open(ended, known.raisedMicros(), known.sentMicros());
          entry.setValue(known);
        }
      }
      if (known.alert().isEnded()) {
        if (nowMicros >= known.raisedMicros() + FIRES_MIN_MICROS) {
          due.add(new Due(known.alert(), To.FORGETFUL));
          all.remove();
        }
      } else if (nowMicros >= known.sentMicros() + REPEAT_MICROS) {
        due.add(new Due(known.alert(), To.FORGETFUL));
        entry.setValue(new Open(known.alert(), known.raisedMicros(), nowMicros));
      }
    }
    return due;
  }

  private List<Due> end(Key key, @Nullable Open known, Alert end) {
    if (known == null) {
      return List.of(new Due(end, To.ALL));
    }
    if (known.alert().isEnded()) {
      return List.of();
    }
    Alert ended = startedWith(known.alert(), end).endedAt(end.endMicros());
    open.put(key, new Open(ended, known.raisedMicros(), known.sentMicros()));
    return List.of(new Due(ended, To.OTHERS));
  }

  private static Alert startedWith(Alert first, Alert latest) {
    return new Alert(
        latest.kind(),
        latest.labels(),
        latest.annotations(),
        latest.destinations(),
        first.atMicros(),
        0);
  }

  private static long micros(Duration duration) {
    return duration.toMillis() * 1_000;
  }
}
