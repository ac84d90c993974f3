package io.palinode.orchestrator.rest.events;

import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the waits that began or ended between two judgements. Not thread-safe. */
final class WaitChanges {
  private Map<Key, Wait> present = Map.of();

  /**
   * The identity of a wait.
   *
   * @param what of reasons with several waits at a time; empty for others, whose text may change
   */
  private record Key(Wait.Reason reason, @Nullable Integer node, String what) {
    static Key of(Wait wait) {
      boolean isOfSeveral =
          wait.reason() == Wait.Reason.APPROVAL || wait.reason() == Wait.Reason.PART;
      return new Key(wait.reason(), wait.node(), isOfSeveral ? wait.what() : "");
    }
  }

  /** The changes since the last call. */
  List<Change> next(Judgement judgement) {
    Map<Key, Wait> now = new HashMap<>();
    judgement.waits().forEach(wait -> now.putIfAbsent(Key.of(wait), wait));
    List<Change> changes = new ArrayList<>();
    present.forEach(
        (key, wait) -> {
          if (!now.containsKey(key)) {
            changes.add(new Change.WaitEnded(wait, judgement.atMicros()));
          }
        });
    now.forEach(
        (key, wait) -> {
          if (!present.containsKey(key)) {
            changes.add(new Change.WaitBegan(wait, judgement.atMicros()));
          }
        });
    present = now;
    return changes;
  }
}
