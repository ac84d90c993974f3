package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.policy.RollbackSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Raises one alert for each wait that stands still, and another only after that wait has ended. Not
 * thread-safe. Waits that are alerted when they begin are left out.
 */
public final class WaitAlerts {
  /** The parts of a cluster start one after another within this time. */
  static final Duration START = Duration.ofSeconds(10);

  /** A wait that began during the start is alerted after this time. */
  static final Duration START_GRACE = Duration.ofSeconds(30);

  private final long startedMicros;
  private final Set<Key> alerted = new HashSet<>();

  public WaitAlerts(long startedMicros) {
    this.startedMicros = startedMicros;
  }

  private record Key(Wait.Reason reason, @Nullable Integer node) {
    static Key of(Wait wait) {
      return new Key(wait.reason(), wait.node());
    }
  }

  public List<Alert> due(Judgement judgement) {
    alerted.retainAll(judgement.waits().stream().map(Key::of).toList());
    List<Alert> due = new ArrayList<>();
    judgement
        .standing()
        .filter(wait -> wait.reason().needsAlert())
        .filter(wait -> isDue(wait, judgement.atMicros()))
        .filter(wait -> alerted.add(Key.of(wait)))
        .forEach(wait -> due.add(alert(wait, judgement.atMicros())));
    return due;
  }

  private boolean isDue(Wait wait, long nowMicros) {
    boolean sinceStart = wait.sinceMicros() - startedMicros < RollbackSettings.micros(START);
    return !sinceStart
        || wait.reason() == Wait.Reason.PART
        || wait.reason() == Wait.Reason.CLOCK
        || wait.reason() == Wait.Reason.EPSILON
        || wait.micros(nowMicros) > RollbackSettings.micros(START_GRACE);
  }

  private static Alert alert(Wait wait, long nowMicros) {
    Map<String, String> labels = new HashMap<>(Map.of("reason", wait.reason().label()));
    if (wait.node() != null) {
      labels.put("node", wait.node().toString());
    }
    return Alert.toOperator(
        Alert.Kind.JUDGEMENT_WAITS, labels, wait.what() + "; " + wait.wayOut(), nowMicros);
  }
}
